"""The suites that grade; never shipped to students."""
