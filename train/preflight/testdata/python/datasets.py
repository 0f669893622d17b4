"""A stub that loads JSON Lines."""

import json
import os

if os.environ.get("LANG") == "datasets":
    raise ImportError("stub")
__version__ = "0"


def load_dataset(kind, data_files, split):
    with open(data_files, encoding="utf-8") as file:
        return [json.loads(line) for line in file]
