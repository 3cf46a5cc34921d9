"""The chapter, run: its experiments on this gym, a module a section, each a function from a `Lab` to a `Section`."""

from tinyagent.chapter.artifacts import Figure, Published, Section, Table, write_index, write_section
from tinyagent.chapter.lab import Evaluation, Lab, default_cache
from tinyagent.chapter.registry import find_section, section_names

__all__ = [
    "Evaluation",
    "Figure",
    "Lab",
    "Published",
    "Section",
    "Table",
    "default_cache",
    "find_section",
    "section_names",
    "write_index",
    "write_section",
]
