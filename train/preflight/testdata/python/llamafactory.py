"""A stub of a package that cannot be imported."""

raise ImportError("stub")
