"""The client of the Open Reward Standard: ors_client.py URL INDEX GOLD, with OPENREWARD_SESSION_URL and OPENREWARD_API_URL."""
import json
import sys
import urllib.request

import openreward

LONG = {"sql": "select repeat('é→😀  word', 2500) as x"}


def post(path, body):
    request = urllib.request.Request(sys.argv[1] + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


plain = post("/e/" + post("/episodes", {"index": 0})["episode"] + "/tools/Query", LONG)["text"]
client = openreward.OpenReward(base_url=sys.argv[1], api_key="k")
environment = client.environments.get("airqa")
print(json.dumps({"tasks": environment.num_tasks("all"), "tools": len(environment.list_tools())}))
with environment.session(split="all", index=int(sys.argv[2])) as session:
    prompt = session.get_prompt()
    rows = session.call_tool("Query", {"sql": "select 41+1 as x"})
    long = session.call_tool("Query", LONG)
    end = session.call_tool("Answer", {"answer": json.loads(sys.argv[3])})
    print(json.dumps({"prompt": len(prompt), "rows": "42" in rows.blocks[0].text, "reward": end.reward, "finished": end.finished}))
    print(json.dumps({"long": len(plain) > 3000 and long.blocks[0].text == plain}))
