"""The grader ladder: answer and case in, verdict out."""
