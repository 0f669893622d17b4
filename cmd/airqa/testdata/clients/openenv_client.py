"""The clients of openenv 0.10: openenv_client.py URL QUESTION GOLD."""
import asyncio
import json
import sys

from openenv.core.env_server.mcp_types import CallToolAction
from openenv.core.generic_client import GenericEnvClient
from openenv.core.mcp_client import MCPToolClient

url, question, gold = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])


def call(tool, **arguments):
    return {"type": "call_tool", "tool_name": tool, "arguments": arguments}


async def main():
    async with GenericEnvClient(base_url=url) as client:
        start = await client.reset(question_id=question)
        rows = await client.step(call("Query", sql="select 41+1 as x"))
        end = await client.step(call("Answer", answer=gold))
        again = await client.step(call("Answer", answer=gold))
        state = await client.state()
        print(json.dumps({
            "asked": bool(start.observation["question"]), "rows": "42" in rows.observation["result"], "reward": end.reward,
            "done": end.done, "again": again.reward, "steps": state["step_count"],
        }))
    async with MCPToolClient(base_url=url) as client:
        await client.reset(question_id=question)
        tools = await client.list_tools()
        text = await client.call_tool("Query", sql="select 41+1 as x")
        end = await client.step(CallToolAction(tool_name="Answer", arguments={"answer": gold}))
        print(json.dumps({"tools": len(tools), "rows": "42" in text, "reward": end.reward, "done": end.done}))


asyncio.run(main())
