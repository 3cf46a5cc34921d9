"""n samples a case, seeded, graded, stored, resumable."""
