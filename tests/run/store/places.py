"""Folders that nothing can be written to, whoever runs the tests."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

NOBODY = 65534


@contextlib.contextmanager
def read_only(*files, mode=0o444):
    """Give a folder with copies of the files, which this process can read and can't write to while it lasts."""
    folder = Path(tempfile.mkdtemp(prefix="passband-test-"))
    root = os.geteuid() == 0
    try:
        for file in files:
            shutil.copyfile(file, folder / file.name)
            (folder / file.name).chmod(mode)
        folder.chmod(0o555)
        if root:  # nothing is read-only to root
            os.seteuid(NOBODY)
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)
