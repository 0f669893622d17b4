"""Loads folders of training data as trainers do, and prints of each the number of rows and of images that open.

load.py CACHE FOLDER...: one cache, as on a user's machine. The configuration trl.yaml of a folder is loaded from inside it."""
import json
import os
import sys

os.environ["HF_HOME"] = sys.argv[1]
os.environ["HF_HUB_OFFLINE"] = "1"
import datasets
import yaml
from PIL import Image


def images(row, folder):
    for value in row.get("images") or []:
        if isinstance(value, str):  # a path beside the rows
            value = Image.open(os.path.join(folder, value))
        value.load()
        yield value


for folder in sys.argv[2:]:
    name = folder
    config = os.path.join(folder, "trl.yaml")
    if os.path.exists(config):
        os.chdir(folder)
        with open(config) as file:
            name = yaml.safe_load(file)["dataset_name"]
    rows = datasets.load_dataset(name)["train"]
    seen = sum(1 for row in rows for _ in images(row, folder))
    print(json.dumps({"rows": len(rows), "first": rows[0].get("id", ""), "images": seen}))
