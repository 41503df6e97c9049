"""What instructors run, in a checkout only: it needs solutions/ and torch."""
