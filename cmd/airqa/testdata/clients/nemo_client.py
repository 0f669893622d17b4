"""NeMo Gym's own agent: nemo_client.py EXPORT QUESTION GOLD, with the folder of airqa export tasks --format nemo-gym.

The model is scripted: two queries, a tool that does not exist, and the gold answer."""
import asyncio
import json
import os
import socket
import sys

import uvicorn
from fastapi import FastAPI
from omegaconf import OmegaConf

export, question, gold = sys.argv[1:]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


config = OmegaConf.load(os.path.join(export, "airqa.yaml"))
config.airqa_simple_agent.responses_api_agents.simple_agent.update({"host": "127.0.0.1", "port": free_port()})
config.policy_model = {"responses_api_models": {"scripted": {"host": "127.0.0.1", "port": free_port()}}}
config.head_server = {"host": "127.0.0.1", "port": free_port()}
config.update({"port_range_low": 10001, "port_range_high": 20000})
os.environ.update({"NEMO_GYM_CONFIG_DICT": OmegaConf.to_yaml(config), "NEMO_GYM_CONFIG_PATH": "airqa_simple_agent"})

from nemo_gym.config_types import AggregateMetrics  # reads the environment
from nemo_gym.server_utils import ServerClient, get_global_config_dict
from responses_api_agents.simple_agent.app import SimpleAgent

calls = [("Query", '{"sql":"select 41+1 as x"}'), ("Dance", "{}"), ("Query", '{"sql":"select 20+1 as x"}'), ("Answer", json.dumps({"answer": json.loads(gold)}))]
model = FastAPI()


@model.post("/v1/responses")
async def responses(body: dict):
    done = sum(item.get("type") == "function_call" for item in body["input"])
    if done < len(calls):
        name, arguments = calls[done]
        item = {"type": "function_call", "id": f"fc{done}", "call_id": f"c{done}", "name": name, "arguments": arguments}
    else:
        text = {"type": "output_text", "text": "done", "annotations": []}
        item = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
    return {
        "id": "r", "created_at": 0, "model": "scripted", "object": "response", "output": [item],
        "parallel_tool_calls": False, "tool_choice": "auto", "tools": [],
    }


async def main():
    client = ServerClient(head_server_config=ServerClient.load_head_server_config(), global_config_dict=get_global_config_dict())
    agent = SimpleAgent(config=SimpleAgent.load_config_from_global_config(), server_client=client)
    tasks = []
    for app, server in ((model, config.policy_model.responses_api_models.scripted), (agent.setup_webserver(), agent.config)):
        at = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=server.port, log_level="error"))
        tasks.append(asyncio.create_task(at.serve()))  # in this loop, with its HTTP client
        while not at.started:
            await asyncio.sleep(0.05)
    with open(os.path.join(export, "train.jsonl")) as f:
        row = next(r for r in map(json.loads, f) if r["verifier_metadata"]["question_id"] == question)
    reply = await client.post(server_name="airqa_simple_agent", url_path="/run", json=row)
    got = await reply.json()
    outputs = [item["output"] for item in got["response"]["output"] if item["type"] == "function_call_output"]
    seen = ["42" in outputs[0], "21" in outputs[2], "recorded" in outputs[3]]
    again = await client.post(server_name="airqa", url_path="/aggregate_metrics", json={"verify_responses": [got, {"reward": 0.0}]})
    metrics = AggregateMetrics.model_validate(await again.json())
    print(json.dumps({"seen": seen, "reward": got["reward"], "verdict": got["verdict"], "mean": metrics.key_metrics["mean/reward"]}), flush=True)
    os._exit(0)  # the servers do not end by themselves


asyncio.run(main())
