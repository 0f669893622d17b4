"""Runs a trainer's own loader on a file of training data and prints what it does with each row.

airqa runs this text with the interpreter of `airqa export check --python`. It reads a request, one JSON object, on
standard input, and prints JSON lines: the versions of the libraries, one line per row, and the end of the load. Whatever
the libraries print goes to standard error.
"""

import importlib
import importlib.metadata
import json
import os
import sys
import tempfile
import types

replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)


def reply(**line):
    replies.write(json.dumps(line) + "\n")
    replies.flush()


class NotChecked(Exception):
    """Raised with the reason for which a file is not checked."""


def message(error):
    """The error in one line: its type and its last line, which is where the cause stands."""
    cause = error.__cause__ or error
    lines = [line for line in str(cause).splitlines() if line.strip()]
    return f"{type(cause).__name__}: {(lines or [''])[0]}"[:2000]


def need(name):
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise NotChecked(f"{name} cannot be imported: {message(error)}") from error


def print_versions():
    found = {}
    for name in ["datasets", "transformers", "trl", "llamafactory"]:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            module = sys.modules.get(name)
            if module is not None:
                found[name] = str(getattr(module, "__version__", "?"))
    reply(versions=found)


class Row:
    """The end of a row."""

    def __init__(self, outcome, tokens=None, trained=None, cut=None, reason=""):
        self.line = {"outcome": outcome}
        if reason:
            self.line["reason"] = reason
        if tokens is not None:
            self.line.update(tokens=tokens, trained=trained, cut=cut)


def check_rows(rows, check):
    for number, row in enumerate(rows):
        try:
            end = check(row)
        except NotChecked as error:
            end = Row("not_checked", reason=str(error))
        except ImportError as error:
            end = Row("not_checked", reason=message(error))
        except Exception as error:
            end = Row("crash", reason=message(error))
        reply(row=number, **end.line)


# LLaMA-Factory


def llamafactory(request):
    datasets = need("datasets")
    try:
        hparams = need("llamafactory.hparams")
        loader = need("llamafactory.data.loader")
        parser = need("llamafactory.data.parser")
        templates = need("llamafactory.data.template")
    except NotChecked:
        load_file(datasets, request)
        raise
    directory = tempfile.mkdtemp()
    with open(os.path.join(directory, "dataset_info.json"), "w", encoding="utf-8") as file:
        json.dump({"data": request["entry"]}, file)
    data_args = hparams.DataArguments(dataset="data", dataset_dir=directory, overwrite_cache=True, **request["arguments"])
    model = os.path.dirname(request["tokenizer"]) if request.get("tokenizer") else directory
    model_args = hparams.ModelArguments(model_name_or_path=model)
    training_args = types.SimpleNamespace(
        local_process_index=0, should_log=False, predict_with_generate=False, seed=42, dataloader_num_workers=0
    )
    stage = request["stage"]
    attributes = parser.get_dataset_list(["data"], directory)[0]
    if (stage == "rm") != bool(attributes.ranking):
        raise ValueError("The dataset is not applicable in the current training stage.")
    aligned = loader._load_single_dataset(attributes, model_args, data_args, training_args)

    tokenizer, processor = llamafactory_tokenizer(request, model_args)
    template = templates.get_template_and_fix_tokenizer(tokenizer, data_args)
    check = LLaMAFactoryRows(loader, data_args, stage, template, tokenizer, processor, bool(request.get("tokenizer")))
    check_rows(aligned, check.row)
    if check.unknown:
        raise NotChecked("some rows are not checked")
    loaded = loader._get_preprocessed_dataset(aligned, data_args, training_args, stage, template, tokenizer, processor)
    if len(loaded) == 0:
        raise RuntimeError("Cannot find valid samples, check `data/README.md` for the data format.")


class LLaMAFactoryRows:
    """Encodes rows one by one, with the limit and without one."""

    def __init__(self, loader, data_args, stage, template, tokenizer, processor, counted):
        self.counted, self.processor, self.unknown = counted, processor, False
        whole = type(data_args)(**{**vars_of(data_args), "packing": False, "neat_packing": False, "cutoff_len": 1 << 30})
        single = type(data_args)(**{**vars_of(data_args), "packing": False, "neat_packing": False})
        self.encoders = [
            loader._get_dataset_processor(args, stage, template, tokenizer, processor) for args in (single, whole)
        ]

    def row(self, row):
        batch = {name: [value] for name, value in row.items()}
        try:
            cut, whole = ([lengths(encoder.preprocess_dataset(batch)) for encoder in self.encoders])
        except ValueError as error:
            if self.processor is not None or "rocessor was not found" not in str(error):
                raise
            self.unknown = True
            raise NotChecked("the template needs the model's processor of images, beside tokenizer.json") from error
        if not cut:
            return Row("dropped", reason="the trainer takes no row of it")
        if not self.counted:
            return Row("kept")
        (tokens, trained), (all_tokens, _) = cut[0], whole[0]
        return Row("kept", tokens, trained, all_tokens - tokens)


def vars_of(data_args):
    """The arguments of the program, before it changed them."""
    arguments = {name: value for name, value in vars(data_args).items() if name in type(data_args).__dataclass_fields__}
    for name, field in type(data_args).__dataclass_fields__.items():
        if not field.init:
            arguments.pop(name, None)
    return arguments


def lengths(encoded):
    """The numbers of tokens and of trained tokens of each row."""
    prefix = "chosen_" if "chosen_input_ids" in encoded else ""
    labels = encoded.get(prefix + "labels", [])
    ids = encoded.get(prefix + "input_ids", [])
    return [(len(tokens), sum(label != -100 for label in targets)) for tokens, targets in zip(ids, labels)]


def llamafactory_tokenizer(request, model_args):
    """The model's tokenizer and processor, or a tokenizer of bytes whose numbers mean nothing."""
    if not request.get("tokenizer"):
        return byte_tokenizer(), None
    try:
        loaded = need("llamafactory.model").load_tokenizer(model_args)
        return loaded["tokenizer"], loaded.get("processor")
    except Exception:
        return load_tokenizer(request), None


def byte_tokenizer():
    tokenizers = need("tokenizers")
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    model = tokenizers.models.BPE(vocab={letter: number for number, letter in enumerate(letters)}, merges=[])
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    return need("transformers").PreTrainedTokenizerFast(tokenizer_object=tokenizer)


# TRL and OpenAI


def load_tokenizer(request):
    """The tokenizer of the folder of tokenizer.json, or of this file alone."""
    transformers = need("transformers")
    try:
        return transformers.AutoTokenizer.from_pretrained(os.path.dirname(request["tokenizer"]), local_files_only=True)
    except Exception:
        return transformers.PreTrainedTokenizerFast(tokenizer_file=request["tokenizer"])


KINDS = {".json": "json", ".jsonl": "json", ".csv": "csv", ".parquet": "parquet", ".arrow": "arrow", ".txt": "text"}


def load_file(datasets, request):
    extension = os.path.splitext(request["file"])[1]
    if extension not in KINDS:
        raise NotChecked(f"no loader of datasets is known for {extension} files")
    return datasets.load_dataset(KINDS[extension], data_files=request["file"], split="train")


def chat(request):
    rows = load_file(need("datasets"), request)
    if not request.get("tokenizer"):
        check_rows(rows, no_tokenizer)
        return
    tokenizer = load_tokenizer(request)
    check_rows(rows, lambda row: chat_row(tokenizer, request, row))


def no_tokenizer(row):
    raise NotChecked("without a tokenizer, the row is loaded but not rendered")


def chat_row(tokenizer, request, row):
    """Renders a row with the tokenizer's chat template and applies the limit of TRL."""
    limit = request.get("max_length") or 1 << 30
    if request.get("assistant_only_loss"):
        raise NotChecked("assistant_only_loss: TRL replaces the chat template by one with marks")
    if not any(isinstance(row.get(name), list) for name in ("messages", "conversations", "prompt", "chosen")):
        raise NotChecked("the row is no chat")
    if not getattr(tokenizer, "chat_template", None):
        raise NotChecked("the tokenizer has no chat template")
    tools = row.get("tools")
    tools = json.loads(tools) if isinstance(tools, str) and tools else tools or None

    def ids(messages, header=False):
        text = tokenizer.apply_chat_template([in_text(m) for m in messages], tools=tools, add_generation_prompt=header, tokenize=False)
        return tokenizer(text, add_special_tokens=False)["input_ids"]

    if "messages" in row or "conversations" in row:
        return limited(0, len(ids(row.get("messages") or row["conversations"])), limit)
    if not row.get("prompt"):
        raise NotChecked("the row has no prompt")
    prompt = ids(row["prompt"], header=True)
    ends = []
    for column in ("completion",) if "completion" in row else ("chosen", "rejected"):
        whole = ids(row["prompt"] + row[column])
        same = next((i for i, pair in enumerate(zip(prompt, whole)) if pair[0] != pair[1]), min(len(prompt), len(whole)))
        ends.append(limited(same, len(whole), limit))
    dropped = [end for end in ends if end.line["outcome"] == "dropped"]
    return (dropped or ends)[0]


def in_text(message):
    """A message with its parts in one text, as the templates of vision models print them."""
    parts = message.get("content")
    if not isinstance(parts, list):
        return message
    if any(part.get("type") != "text" for part in parts):
        raise NotChecked("a row with images needs the processor of a vision model, beside tokenizer.json")
    return {**message, "content": "".join(part.get("text") or "" for part in parts)}


def limited(prompt, tokens, limit):
    kept = min(tokens, limit)
    if prompt >= kept:
        return Row("dropped", reason="the prompt fills max_length, or the answer is empty")
    return Row("kept", kept, kept - prompt, tokens - kept)


def main():
    request = json.loads(sys.stdin.read())
    load = llamafactory if request["trainer"] == "llamafactory" else chat
    print_versions()
    try:
        load(request)
    except NotChecked as error:
        reply(load="not_checked", error=str(error))
    except ImportError as error:
        reply(load="not_checked", error=message(error))
    except Exception as error:
        reply(load="crash", error=message(error))
    else:
        reply(load="ok")


if __name__ == "__main__":
    main()
