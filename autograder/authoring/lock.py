"""python3.X autograder/authoring/lock.py: writes zip/requirements*.X.lock, what images install.

Run it with each Python from 3.10 to 3.13 after a change of zip/requirements.txt or .otter; standard
library only. pip then takes nothing but these versions with these digests.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PARTS = Path(__file__).with_name("zip")
# Gradescope's, and `otter grade` on a Mac; each as old as the wheels that it may take.
MACHINES = ("x86_64", "aarch64")
MANYLINUX = ("manylinux_2_28", "manylinux2014", "manylinux_2_17")
VERSION = f"3.{sys.version_info.minor}"


def main() -> None:
    lock("requirements", ["requirements.txt"])
    lock("requirements.otter", ["requirements.txt", "requirements.otter"])


def lock(name: str, requirements: list[str]) -> None:
    """Writes zip/NAME.X.lock: every package that these files lead to, with its wheels' digests."""
    digests: dict[str, set[str]] = {}
    for machine in MACHINES:
        for package in resolved(requirements, machine):
            metadata, archive = package["metadata"], package["download_info"]["archive_info"]
            digest = archive.get("hashes", {}).get("sha256") or archive["hash"].split("=")[1]
            pinned = f"{metadata['name'].lower()}=={metadata['version']}"
            digests.setdefault(pinned, set()).add(digest)
    sources = " and ".join(requirements)
    lines = [f"# Written by authoring/lock.py with Python {VERSION}, from {sources}."]
    for pinned in sorted(digests):
        lines += [f"{pinned} \\", *(f"    --hash=sha256:{d} \\" for d in sorted(digests[pinned]))]
        lines[-1] = lines[-1].removesuffix(" \\")
    (PARTS / f"{name}.{VERSION}.lock").write_bytes(("\n".join(lines) + "\n").encode())


def resolved(requirements: list[str], machine: str) -> list[dict[str, Any]]:
    """What pip would install on a Linux machine of this kind, from wheels alone."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--dry-run", "--ignore-installed", "--only-binary", ":all:", "--report", "-"]
    command += [f"--platform={kind}_{machine}" for kind in MANYLINUX]
    # For its first release: an image's Python may be older than the one that runs here.
    command.append(f"--python-version={VERSION}.0")
    with tempfile.TemporaryDirectory() as nowhere:
        command += ["--target", nowhere]
        for name in requirements:
            command += ["-r", str(PARTS / name)]
        report = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return list(json.loads(report)["install"])


if __name__ == "__main__":
    main()
