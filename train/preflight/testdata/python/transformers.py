"""A stub of a tokenizer with a chat template: a word for the role, and the words of the text."""

import os

if os.environ.get("LANG") == "transformers":
    raise ImportError("stub")
__version__ = "0"


class AutoTokenizer:
    chat_template = "words"

    @staticmethod
    def from_pretrained(folder, local_files_only):
        return AutoTokenizer()

    def apply_chat_template(self, messages, tools, add_generation_prompt, tokenize):
        words = [word for m in messages for word in [m["role"]] + m["content"].split()]
        return " ".join(words + (["assistant"] if add_generation_prompt else []))

    def __call__(self, text, add_special_tokens):
        return {"input_ids": text.split()}
