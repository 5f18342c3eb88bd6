"""Executes the notebooks of docs/notebooks and compares what they print with what is in them.

    notebooks_test.py --write     executes all and writes them with their results

They are committed with their results, which GitHub shows. Texts are compared, and pictures are not: another version
of Matplotlib draws the same numbers otherwise.
"""
import os
import pathlib
import sys
import tempfile
import unittest

import nbformat
from nbconvert.preprocessors import ExecutePreprocessor

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "notebooks"


def executed(name):
    """The notebook with new results. Its kernel is Debian's Python, and no kernel of the user."""
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", 4)
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"JUPYTER_DATA_DIR": folder, "JUPYTER_CONFIG_DIR": folder, "JUPYTER_PATH": "",
                       "IPYTHONDIR": folder, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        client = ExecutePreprocessor(timeout=200, kernel_name="python3", record_timing=False)
        client.preprocess(notebook, {"metadata": {"path": folder}})
    return notebook


def texts(notebook):
    """What each cell prints, without the sizes of pictures."""
    for number, cell in enumerate(notebook.cells):
        outputs = cell.get("outputs", [])
        pictures = sum("image/png" in output.get("data", {}) for output in outputs)
        printed = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]
        yield number, pictures, [text for text in printed if not text.startswith("<Figure")]


class PythonNotebooks(unittest.TestCase):
    maxDiff = None

    def check(self, name):
        self.assertEqual(list(texts(executed(name))), list(texts(nbformat.read(FOLDER / f"{name}.ipynb", 4))))

    def test_architects_sweep(self):
        self.check("architects_sweep")

    def test_fault_campaign(self):
        self.check("fault_campaign")

    def test_checkpoint_plan(self):
        self.check("checkpoint_plan")

    def test_training_purchases(self):
        self.check("training_purchases")

    def test_there_are_no_others(self):
        tested = {name.removeprefix("test_") for name in dir(self)}
        self.assertLessEqual({each.stem for each in FOLDER.glob("*.ipynb")}, tested)


if __name__ == "__main__":
    if "--write" in sys.argv:
        for file in sorted(FOLDER.glob("*.ipynb")):
            nbformat.write(executed(file.stem), file)
    else:
        unittest.main()
