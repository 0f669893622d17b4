#!/bin/bash
# Made by airqa shards slurm: {{.Shards}} shards of airqa {{.Command}}, one for each task of the array.
#
# Submit it{{if not .Keys}}, with the keys in the environment{{end}}:
#   sbatch {{.Name}}.sbatch
# {{if .Command.AddsPapers}}Join{{else}}Merge{{end}} the shards when all tasks have ended:
#   {{.Merge}}
# The {{.Command.Last}} can wait for the array as a job. It refuses what is incomplete:
#   job=$(sbatch --parsable {{.Name}}.sbatch)
#   sbatch --dependency=afterany:"$job"{{range .Sbatch}} {{quote .}}{{end}}{{if .Command.AddsPapers}} --mem={{.Memory}} --time={{.Time}}{{end}} --wrap={{quote .Merge}}
#
#SBATCH --job-name={{.Name}}
#SBATCH --array=1-{{.Shards}}%{{.AtOnce}}
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={{.CPUs}}
#SBATCH --mem={{.Memory}}
#SBATCH --time={{.Time}}
{{- range .Sbatch}}
#SBATCH {{.}}
{{- end}}
{{- if .GPUs}}
#SBATCH --gpus={{.GPUs}}
{{- end}}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@{{.Notice}}
#SBATCH --output=%x-%A_%a.log
{{- if .Keys}}

# The keys, NAME=VALUE, are read as they are: no shell sees the values.
while IFS= read -r key || [ -n "$key" ]; do
  key=${key%$'\r'}
  [[ $key =~ ^[[:space:]]*(#|$) ]] && continue
  if ! [[ $key =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || ! export "${key%%=*}=${key#*=}"; then
    echo "airqa: $(hostname): a line of the key file is not NAME=VALUE" >&2 && exit 2
  fi
done < {{quote .Keys}} || { echo "airqa: $(hostname): the key file cannot be read" >&2; exit 2; }
{{- end}}

i=${SLURM_ARRAY_TASK_ID:?submit this script with sbatch}
task=${SLURM_ARRAY_JOB_ID}_$i # SLURM_JOB_ID would not do: for one task it is the id of the whole array
node=${SLURMD_NODENAME:-$(hostname)}
say() { echo "airqa: $(date '+%F %T') shard $i/{{.Shards}} on $node: $*" >&2; }
say "job $task, start $((${SLURM_RESTART_COUNT:-0} + 1))"

# USR1 comes before the time limit: the program stops after the calls in flight{{if .Command.AddsPapers}} and indexes the papers that were read{{end}}, and the task is queued again.
# The other signals are of scancel, scontrol requeue, a preemption, or the time limit itself. Slurm sends them to all processes
# of the task, so they are not passed on, and Slurm alone decides whether the task runs again. At the time limit it does not:
# a task that still waits for a call then, so long after the notice, is queued again, but that is a failure.
pid= server= notice= late= ended=
trap '[ -n "$notice" ] || { notice=$SECONDS; [ -z "$pid" ] || kill -USR1 "$pid" 2>/dev/null; }' USR1
trap '[ $((SECONDS - ${notice:-SECONDS})) -ge {{.Notice}} ] && late=1 || ended=1' TERM INT HUP

# finish ends the task with an exit code, or has it queued again. Failures of this job are counted in a file:
# SLURM_RESTART_COUNT also counts preemptions and time limits.
finish() {
  local code=$1 why=$2 job= failures=0 last=
  local file={{quote .Root}}/".$i-of-{{.Shards}}.failures"
  stop_server
  [ -z "$ended" ] || { say "stopped by a signal ($why)"; exit "$code"; }
  [ "$code" -ne 0 ] || { rm -f "$file"; say "done"; exit 0; }
  case $code in
  2 | 4 | 126 | 127) say "failed: $why; another start would not help"; exit "$code" ;;{{if .Command.AddsPapers}}
  3) say "done, but for the papers listed above"; exit 0 ;; # some papers cannot be read, which is final{{end}}
  esac
  [ -z "$late" ] || why="stopped at the time limit"
  if [ -n "$notice" ] && [ -z "$late" ]; then
    say "the time limit is near; queued again"
  else
    { read -r job failures last < "$file"; } 2>/dev/null
    [ "$job" = "$SLURM_ARRAY_JOB_ID" ] || failures=0 last=
    failures=$((failures + 1))
    { mkdir -p {{quote .Root}} && echo "$SLURM_ARRAY_JOB_ID $failures $code" > "$file"; } 2>/dev/null || failures=$((${SLURM_RESTART_COUNT:-0} + 1))
    if [ "$failures" -gt {{.Restarts}} ] || { [ "$code" -eq 3 ] && [ "$last" = 3 ]; }; then
      say "gave up: $why, failure $failures with {{.Restarts}} restarts allowed"
      [ "$code" -le 128 ] || code=1 # sacct would show 130 as exit code 2
      exit "$code"
    fi
    say "$why, failure $failures with {{.Restarts}} restarts allowed; queued again"
  fi
  scontrol requeue "$task" || say "Slurm does not queue the task again"
  exit "$code"
}

stop_server() {
  [ -n "$server" ] || return 0
  kill -TERM -- "-$server" 2>/dev/null
  for _ in {1..100}; do
    kill -0 -- "-$server" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL -- "-$server" 2>/dev/null
  server=
}
trap stop_server EXIT
{{- range .Setup}}

{{.}}
code=$?
[ "$code" -eq 0 ] || finish "$code" "exit code $code of a set-up line"
{{- end}}
{{- if .Serve}}

# The model server of this task has a port and a process group of its own.
ready() { # it answers with a status of 2xx
  (exec 3<> "/dev/tcp/127.0.0.1/$port" && printf 'GET %s HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' {{quote .Ready}} >&3 &&
    IFS= read -r -t 5 line <&3 && [[ $line =~ ^HTTP/[0-9.]+\ 2 ]]) 2>/dev/null
}
for _ in {1..100}; do
  port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
  (exec 3<> "/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
done
log=$SLURM_JOB_NAME-$task.server.log
say "starting the model server on port $port; its log is $log"
setsid bash -c {{.Word .Serve}} >> "$log" 2>&1 < /dev/null &
server=$!
until=$((SECONDS + {{printf "%.0f" .Startup.Seconds}})) failed=
until ready && kill -0 "$server" 2>/dev/null; do
  [ -z "$notice$ended" ] || finish 1 "the model server was not ready yet"
  kill -0 "$server" 2>/dev/null || failed="the model server ended"
  [ "$SECONDS" -lt "$until" ] || failed="the model server was not ready after {{printf "%.0f" .Startup.Seconds}} s"
  if [ -n "$failed" ]; then
    say "$failed; the end of its log:"
    tail -n 20 "$log" >&2
    finish 1 "$failed"
  fi
  sleep 0.5
done
{{- end}}

[ -z "$notice$ended" ] || finish 1 "stopped before the start"
{{.Program}} {{.Command}}{{range .Args}} {{$.Word .}}{{end}} \
  --shard "$i/{{.Shards}}" {{.Command.Target}} {{quote .Root}}/"$i-of-{{.Shards}}" &
pid=$!
[ -z "$notice" ] || kill -USR1 "$pid" 2>/dev/null # the signal came before its process was known
while :; do
  wait "$pid"
  code=$?
  kill -0 "$pid" 2>/dev/null || break # else a signal ended the wait
done
wait "$pid" 2>/dev/null
code=$?
finish "$code" "exit code $code"
