"""What runs in the grader's own processes: the standard library and pytest only."""
