"""Writes the pictures of the pages:  python -m autograder.authoring.pictures

A room that has a picture.py draws assignments/pictures/<its name>.svg with it.
"""

from autograder.exercises import registry
from autograder.files import write_whole
from autograder.kit.cases import EXERCISES
from autograder.kit.drawing import CHECKOUT

PICTURES = CHECKOUT / "assignments" / "pictures"


def pictures() -> dict[str, str]:
    """The SVG of every picture, by the name of its room."""
    rooms = sorted(path.parent.name for path in EXERCISES.glob("*/picture.py"))
    return {room: registry.part(room, "picture").picture() for room in rooms}


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name, drawn in pictures().items():
        write_whole(PICTURES / f"{name}.svg", drawn.encode())
