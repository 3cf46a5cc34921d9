"""TinyAgent: a laboratory for evaluation as a measurement.

A gym of thirty one-function bug-fixing tasks, a decoder-only policy small enough to train on one core, and
group-relative policy optimisation, all in the service of one question: what does a pass rate tell us? It uses
:mod:`passband`, and Passband never imports it, nor torch.
"""
