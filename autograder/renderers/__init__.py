"""Report -> what a reader sees: one module per form."""
