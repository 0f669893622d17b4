#!/usr/bin/env bash
# Runs the job scripts of airqa shards slurm on a Slurm of this machine: a controller and two nodes in a network namespace
# that has lo only. Needs root and the packages slurm-wlm, munge and python3; skips with a message where they are missing.
# Usage: slurm.sh, in the folder of the module.
set -euo pipefail
for program in slurmctld slurmd munged sbatch ip python3; do
  command -v "$program" > /dev/null || { echo "skipped: no $program (apt-get install slurm-wlm munge iproute2)" >&2; exit 0; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: needs root, for a network namespace" >&2; exit 0; }
top=$(mktemp -d) space=airqa-slurm-$$ pids=()
chmod 755 "$top"
stop() {
  for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2> /dev/null || true; done
  ip netns del "$space" 2> /dev/null || true
  rm -rf "$top"
}
trap stop EXIT
ip netns add "$space" || { echo "skipped: no network namespace" >&2; exit 0; }
ip netns exec "$space" ip link set lo up
ip netns exec "$space" ip addr add 10.99.0.1/32 dev lo # glibc resolves no address while only 127.0.0.1 is up
mkdir -p "$top"/{state,spool,munge,home}
dd if=/dev/urandom of="$top/munge.key" bs=32 count=1 2> /dev/null
chmod 400 "$top/munge.key"
chown -R munge "$top/munge" "$top/munge.key"
chown slurm "$top/state"
cat > "$top/slurm.conf" << END
ClusterName=loop
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=27017
SlurmUser=slurm
AuthInfo=socket=$top/munge/socket
StateSaveLocation=$top/state
SlurmdSpoolDir=$top/spool/%n
SlurmctldPidFile=$top/state/ctld.pid
SlurmdPidFile=$top/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=requeue_delay=1,batch_sched_delay=1,sched_interval=2,bf_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=27101 CPUs=4 RealMemory=8000 State=UNKNOWN
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=27102 CPUs=4 RealMemory=8000 State=UNKNOWN
PartitionName=batch Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nConstrainCores=no\nConstrainRAMSpace=no\n' > "$top/cgroup.conf"
cat > "$top/endpoint.py" << 'END'
import http.server, json, time
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *a): pass
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(4)
        reply = {"role": "assistant", "content": "```txt\n1\n```"}
        body = json.dumps({"id": "x", "object": "chat.completion", "model": "m", "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
                           "choices": [{"index": 0, "finish_reason": "stop", "message": reply}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(("127.0.0.1", 18777), Handler).serve_forever()
END
go build -o "$top/airqa" ./cmd/airqa
"$top/airqa" ingest --quiet --data "$top/home/data" fixtures/papers
cp fixtures/questions.jsonl "$top/home/"
chown -R nobody "$top/home"
inside() { exec ip netns exec "$space" env SLURM_CONF="$top/slurm.conf" "$@"; }
(inside runuser -u munge -- munged --foreground --socket="$top/munge/socket" --key-file="$top/munge.key" --log-file="$top/munge/log" \
  --pid-file="$top/munge/pid" --seed-file="$top/munge/seed") > "$top/munge.out" 2>&1 & pids+=($!)
for _ in {1..50}; do [ -S "$top/munge/socket" ] && break; sleep 0.2; done
(inside slurmctld -f "$top/slurm.conf" -D) > "$top/slurmctld.out" 2>&1 & pids+=($!)
(inside python3 "$top/endpoint.py") & pids+=($!)
for node in n1 n2; do (inside slurmd -N "$node" -f "$top/slurm.conf" -D) > "$top/$node.out" 2>&1 & pids+=($!); done

cat > "$top/cases.sh" << 'END'
cd "$1/home" && export HOME=$PWD failed=0
flags="-d data -q questions.jsonl --baseline question-only -m openai:m --base-url http://127.0.0.1:18777/v1 -j 1 --missing run"
within() { # seconds, command: waits until it succeeds
  local until=$((SECONDS + $1)); shift
  until "$@"; do [ $SECONDS -lt $until ] || { echo "FAIL: not in time: $*"; failed=1; squeue -r; return; }; sleep 0.5; done
}
states() { squeue -h -r -j "$1" -o %T 2> /dev/null; }
running() { states "$1" | grep -q RUNNING; }
ended() { [ -z "$(states "$1")" ]; }
pending() { states "$1" | grep -q PENDING; }
expect() { grep -q "$2" "$1" && echo "ok: $2" || { echo "FAIL: no \"$2\" in $1"; cat "$1"; failed=1; }; }
kept() { ! grep -l '"type":"lost"' "$1"-shards/*/log.jsonl || { echo "FAIL: $1 lost a call"; failed=1; }; }
begin() { # name, flags: submits two shards
  local name=$1; shift
  "$top/airqa" shards slurm --shards 2 --time 50 --name "$name" "$@" -- $flags -o "$name" > "$name.sbatch" && job=$(sbatch --parsable "$name.sbatch")
}
top=$1
within 60 eval '[ "$(sinfo -h -N -o %T | grep -c idle)" -eq 2 ]'
begin cancel && within 60 running "$job" && sleep 5 && scancel "$job"
within 20 ended "$job"; sleep 3; ended "$job" || { echo "FAIL: it runs again"; failed=1; }
expect "cancel-${job}_1.log" "stopped by a signal"; kept cancel
begin requeue && within 60 running "$job" && sleep 5 && scontrol requeue "${job}_1"
within 20 pending "$job"; scancel "$job"; within 20 ended "$job"
expect "requeue-${job}_1.log" "stopped by a signal"; kept requeue
begin missing --program /nowhere/airqa && within 60 ended "$job"; expect "missing-${job}_1.log" "failed: exit code 127"
begin server --setup 'export WORD=x' --serve 'sleep 3; [ $WORD = x ] && exec python3 -m http.server {port} --bind 127.0.0.1' --ready / --program /bin/true
within 60 ended "$job"; expect "server-${job}_1.server.log" "GET / HTTP"
! pgrep -f '[h]ttp.server 2[0-9]* --bind' || { echo "FAIL: the server runs"; failed=1; }
begin limit --restarts 0 --time 6; within 60 running "$job"
within 400 ended "$job"; expect "limit-${job}_1.log" "the time limit is near; queued again"; kept limit
"$top/airqa" shards merge limit-shards --out limit || failed=1
exit $failed
END
ip netns exec "$space" env SLURM_CONF="$top/slurm.conf" runuser -u nobody -- bash "$top/cases.sh" "$top"
