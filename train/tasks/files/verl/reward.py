"""The reward of airqa serve for verl: the server has the gold answer and the evaluator."""

import json
import os
import re
import urllib.request

URL = os.environ.get("AIRQA_SERVE_URL", {{quoted .URL}})
TOKEN = os.environ.get("AIRQA_SERVE_TOKEN", "")


def answer_of(text):
    """The argument of the first call of Answer, or else what follows the last tag."""
    for call in re.findall(r"<tool_call>(.*?)</tool_call>", text, re.DOTALL):
        try:
            call = json.loads(call)
            if call["name"] == "Answer":
                return str(next(iter(call["arguments"].values())))
        except (ValueError, TypeError, KeyError, AttributeError, StopIteration):
            continue
    return re.split(r"</think>|</tool_response>|</tool_call>", text)[-1].strip()


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **kwargs):
    """The reward from 0 to 1. A server that cannot score raises: that is no reward of 0."""
    message = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": answer_of(solution_str)}],
    }
    body = {
        "verifier_metadata": {"question_id": extra_info["question_id"]},
        "response": {"output": [message]},
    }
    headers = {"Content-Type": "application/json", "User-Agent": "verl"}
    if TOKEN:
        headers["Authorization"] = "Bearer " + TOKEN
    request = urllib.request.Request(URL + "/gym/verify", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=600) as reply:
        return float(json.load(reply)["reward"])
