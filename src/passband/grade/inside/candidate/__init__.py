"""Tier 1, the side that is not trusted: the candidate's code, and what answers the judge for it."""
