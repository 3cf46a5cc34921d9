"""Must-fail twins: what in a hidden test could be otherwise, the copies made so, and what runs in them."""
