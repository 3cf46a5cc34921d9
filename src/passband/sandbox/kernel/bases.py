"""Large trees, kept by a server between runs: a run lays only its changes over one of them."""

from __future__ import annotations

import os
import shutil
import stat
from typing import TYPE_CHECKING, Any

from passband.sandbox.kernel import confine
from passband.sandbox.kernel import syscalls as sc

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FOLDER", "Bases", "lay_over"]

FOLDER = "/base"
_BYTES = 4 << 30
_KEPT = 16


class Bases:
    """The trees of one server, in a tmpfs of its own."""

    def __init__(self) -> None:
        self._kept: list[str] = []

    def keep(self, name: str, tree: Mapping[str, bytes], in_use: set[str]) -> None:
        """Write a tree; the oldest ones that no run is using make room for it.

        Raises
        ------
        BadTreeError
            Where it cannot be written.
        """
        if not self._kept:
            sc.mount("bases", FOLDER, "tmpfs", sc.MS_NOSUID | sc.MS_NODEV, f"size={_BYTES},mode=755")
        for old in [n for n in self._kept if n not in in_use][: max(0, len(self._kept) + 1 - _KEPT)]:
            shutil.rmtree(f"{FOLDER}/{old}", ignore_errors=True)
            self._kept.remove(old)
        os.mkdir(f"{FOLDER}/{name}")
        self._kept.append(name)
        confine.write_tree(tree, f"{FOLDER}/{name}")

    def has(self, name: str) -> bool:
        """Whether a tree is still kept."""
        return name in self._kept


def lay_over(name: str, request: Mapping[str, Any], box: str) -> None:
    """Make the run's tree of a kept one and the run's changes.

    Parameters
    ----------
    name : str
        The kept tree.
    request : mapping
        ``tree`` (path → content of what is new or changed), ``deleted`` (paths), ``folders`` (all folders of the tree).
    box : str
        The run's own folder.

    Raises
    ------
    BadTreeError
        Where a change cannot be written.
    """
    upper, work = f"{box}/upper", f"{box}/work"
    for path in (upper, work):
        os.mkdir(path)
    # Every folder is there already: copying one up from below would mean to give it an owner that has no name here.
    for folder in request["folders"]:
        os.makedirs(f"{upper}/{folder}", exist_ok=True)
    confine.write_tree(request["tree"], upper)
    # In a run it shows read-only, whoever owns it.
    sc.read_only(FOLDER, recursive=False)
    try:
        for path in request["deleted"]:
            os.mknod(f"{upper}/{path}", stat.S_IFCHR, os.makedev(0, 0))
        layers = f"lowerdir={FOLDER}/{name},upperdir={upper},workdir={work},userxattr"
        sc.mount("overlay", f"{box}/repo", "overlay", sc.MS_NOSUID | sc.MS_NODEV, layers)
    except OSError:
        # No overlay for whom this is: copy, which takes longer and comes to the same.
        shutil.copytree(f"{FOLDER}/{name}", f"{box}/repo", dirs_exist_ok=True)
        confine.write_tree(request["tree"], f"{box}/repo")
        for path in request["deleted"]:
            os.unlink(f"{box}/repo/{path}")
