"""What runs in the grader's own processes: the standard library and pytest only.

Three programs: ``split``, which judges in tier 1, ``executor``, which runs the candidate there, and ``whole``, tier 2.
The first two talk over ``rpc``, whose sides are ``judge`` and ``candidate``; ``runner`` runs the hidden tests of both
tiers, and ``twins`` makes the copies of them that must fail.
"""
