"""Two processes that work on each other's objects: the wire, what crosses it, and what stands in for the rest."""
