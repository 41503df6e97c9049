"""Grades the self-attention exercises; student code runs in a process of its own."""

__version__ = "0.1.0"
