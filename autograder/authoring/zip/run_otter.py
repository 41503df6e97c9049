"""otter's Dockerfile wants this file. Nothing runs it: run_autograder starts the grader itself."""
