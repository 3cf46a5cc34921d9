"""Patches, read strictly and applied exactly: static, trusted, before anything of the subject's runs.

Bytes in, bytes out, all or nothing. :func:`apply_answer` is the way from an answer to a changed tree,
:func:`answer_from_trees` the way back.
"""

from passband.grade.patch.apply import apply_answer
from passband.grade.patch.result import Applied, Refused
from passband.grade.patch.write import answer_from_trees, diff_trees, path_fault

__all__ = ["Applied", "Refused", "answer_from_trees", "apply_answer", "diff_trees", "path_fault"]
