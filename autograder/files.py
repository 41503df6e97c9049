"""Files that are whole at every moment, whoever reads them and whatever stops the writer."""

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Replaces a file in one step: a reader sees the old one or the new one; OSError leaves it."""
    # Beside the target and not in /tmp: a rename is atomic within one file system only.
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
