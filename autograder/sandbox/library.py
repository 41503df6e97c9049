"""The one package that a guest may import: NumPy, by links to it and nothing beside it."""

from pathlib import Path

import numpy as np


def link_numpy(folder: Path) -> None:
    """Fills a folder with links to NumPy and its libraries, and nothing else."""
    folder.mkdir()
    for source in numpy_folders():
        (folder / source.name).symlink_to(source)


def numpy_folders() -> list[Path]:
    package = Path(np.__file__).parent
    return [path for path in (package, package.with_name("numpy.libs")) if path.exists()]
