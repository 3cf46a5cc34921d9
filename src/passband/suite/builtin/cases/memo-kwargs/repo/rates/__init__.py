"""Price quotes with remembered exchange rates."""
