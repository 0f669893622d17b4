"""The tools of airqa serve for the tool agent of verl 0.9: one episode for each rollout."""

import asyncio
import base64
import io
import json
import os
import urllib.error
import urllib.request
from uuid import uuid4

from PIL import Image
from verl.tools.base_tool import BaseTool
from verl.tools.schemas import ToolResponse

URL = os.environ.get("AIRQA_SERVE_URL", {{quoted .URL}})
TOKEN = os.environ.get("AIRQA_SERVE_TOKEN", "")


def post(path, body):
    headers = {"Content-Type": "application/json", "User-Agent": "verl"}
    if TOKEN:
        headers["Authorization"] = "Bearer " + TOKEN
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=120) as reply:
        return json.load(reply)


class AirQATool(BaseTool):
    """verl creates and releases a tool around every call, so the episode is kept in agent_data."""

    def __init__(self, config, tool_schema):
        super().__init__(config, tool_schema)
        self.questions = {}

    async def create(self, instance_id=None, **kwargs):
        instance_id = instance_id or uuid4().hex
        self.questions[instance_id] = kwargs["create_kwargs"]["question_id"]
        return instance_id, ToolResponse()

    async def execute(self, instance_id, parameters, **kwargs):
        extra = kwargs["agent_data"].extra_fields
        if "airqa_episode" not in extra:
            opened = await asyncio.to_thread(post, "/episodes", {"question_id": self.questions[instance_id]})
            extra.setdefault("airqa_episode", opened["episode"])
        try:
            got = await asyncio.to_thread(post, "/e/" + extra["airqa_episode"] + "/tools/" + self.name, parameters)
        except urllib.error.HTTPError as e:
            return ToolResponse(text="[Error]: " + json.load(e)["error"]), 0.0, {}
        pages = [Image.open(io.BytesIO(base64.b64decode(i["data"]))).convert("RGB") for i in got["images"]]
        return ToolResponse(text=got["text"], image=pages), 0.0, {}

    async def release(self, instance_id, **kwargs):
        self.questions.pop(instance_id, None)
