"""python -I FOLDER DOOR PATH: opens a door of the grader that lies in this folder.

-I keeps everything but this folder and Python's own off the path.
"""

import sys
from pathlib import Path

from autograder.platforms import gradescope, otter

DOORS = {"gradescope": gradescope.main, "otter": otter.main}
sys.exit(DOORS[sys.argv[1]](Path(sys.argv[2])))
