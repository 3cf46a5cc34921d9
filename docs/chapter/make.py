"""Make the pages of this folder and the notebook beside it.

python docs/chapter/make.py             run the chapter, take over its pages, figures and tables, run the notebook
python docs/chapter/make.py --pages     write the pages anew from the section.json that lie here: no torch, a second
python docs/chapter/make.py --notebook [FILE]     run the notebook; into another file, where one is named
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from pathlib import Path

from tinyagent.chapter import section_names, write_index
from tinyagent.chapter.pages import page

HERE = Path(__file__).parent
NOTEBOOK = HERE.with_suffix(".ipynb")
KEPT = {"section.json", ".svg", ".csv"}


def run(cache: Path | None) -> None:
    """Run every section and keep what pages show or link."""
    from tinyagent.cli import cli

    with tempfile.TemporaryDirectory() as folder:
        arguments = ["chapter", "--out", folder, *(["--cache", str(cache)] if cache else [])]
        cli.main(arguments, prog_name="tinyagent", standalone_mode=False)
        for old in HERE.glob("*/section.json"):
            shutil.rmtree(old.parent)
        for made in Path(folder).glob("*/section.json"):
            target = HERE / made.parent.name
            target.mkdir()
            for file in made.parent.iterdir():
                if KEPT & {file.name, file.suffix}:
                    shutil.copyfile(file, target / file.name)


def pages() -> None:
    """Write a page for every section that lies here, and the index."""
    for old in HERE.glob("*.md"):
        old.unlink()
    for file in HERE.glob("*/section.json"):
        record = json.loads(file.read_text(encoding="utf-8"))
        (HERE / f"{record['number']}.md").write_text(page(record), encoding="utf-8")
    write_index(HERE, section_names())


def notebook(target: Path) -> None:
    """Run the notebook's cells in order and write them with what they show."""
    import nbformat
    from nbclient import NotebookClient
    from traitlets.config import Config

    book = nbformat.read(NOTEBOOK, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JUPYTER_RUNTIME_DIR"] = folder
        sockets = Config({"KernelManager": {"transport": "ipc"}})  # files in that folder: no port can be taken
        NotebookClient(book, config=sockets, timeout=300, record_timing=False, coalesce_streams=True).execute()
    book.metadata = {"kernelspec": book.metadata["kernelspec"], "language_info": {"name": "python"}}
    nbformat.write(book, target)


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--notebook", nargs="?", type=Path, const=NOTEBOOK, metavar="FILE")
    parser.add_argument("--cache", type=Path)
    chosen = parser.parse_args()
    if chosen.notebook is not None:
        notebook(chosen.notebook)
        return
    if not chosen.pages:
        run(chosen.cache)
    pages()
    if not chosen.pages:
        notebook(NOTEBOOK)


if __name__ == "__main__":
    main()
