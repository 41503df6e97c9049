"""The final exam: its questions, drawn anew for each course from a random generator."""
