"""The clients of mcp 2: mcp_client.py URL."""
import asyncio
import json
import sys

from mcp import Client, ClientSession
from mcp.client.streamable_http import streamable_http_client

url = sys.argv[1]


async def use(client):
    tools = await client.list_tools()
    rows = await client.call_tool("Query", {"sql": "select paper_id from metadata order by paper_id limit 1"})
    paper = json.loads(rows.content[0].text.splitlines()[0])["paper_id"]
    page = await client.call_tool("View", {"paper_id": paper, "page_number": 1})
    wrong = await client.call_tool("Query", {"sql": "select from"})
    return {"tools": len(tools.tools), "image": page.content[-1].type, "wrong": wrong.is_error}


async def main():
    async with Client(url) as client:
        print(json.dumps({"version": client.protocol_version} | await use(client)))
    async with streamable_http_client(url) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            start = await session.initialize()
            print(json.dumps({"version": start.protocol_version} | await use(session)))


asyncio.run(main())
