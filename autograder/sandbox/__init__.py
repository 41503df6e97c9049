"""The only place where student code runs."""
