"""Tier 1, the trusted side: hidden tests in a process that holds nothing of the candidate's but stand-ins."""
