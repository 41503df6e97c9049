"""Where a grade is asked for without the command `autograder`: Gradescope's images and otter."""
