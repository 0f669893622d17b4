#!/bin/bash
# Made by airqa shards slurm: {{.Shards}} shards of a run, one for each task of the array.
#
# Submit it, with the keys in the environment:
#   sbatch {{.Name}}.sbatch
# Merge the shards when all tasks have ended:
#   {{.Merge}}
# The merge can wait for the array as a job:
#   job=$(sbatch --parsable {{.Name}}.sbatch)
#   sbatch --dependency=afterok:"$job" --wrap={{quote .Merge}}
#
#SBATCH --job-name={{.Name}}
#SBATCH --array=1-{{.Shards}}%{{.AtOnce}}
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={{.CPUs}}
#SBATCH --mem={{.Memory}}
#SBATCH --time={{.Time}}
{{- if .Partition}}
#SBATCH --partition={{.Partition}}
{{- end}}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@300
#SBATCH --output=%x-%A_%a.log

set -u
i=${SLURM_ARRAY_TASK_ID:?submit this script with sbatch}
{{- if .Keys}}
set -a
. {{quote .Keys}} || exit 2
set +a
{{- end}}

# Five minutes before the time limit, questions in flight are finished. The task is queued again and resumes.
pid= stop=
trap 'if [ -n "$pid" ]; then kill -TERM "$pid" 2>/dev/null; else stop=1; fi' TERM

airqa run{{range .Args}} {{quote .}}{{end}} \
  --shard "$i/{{.Shards}}" --out {{quote .Root}}/"$i-of-{{.Shards}}" &
pid=$!
[ -n "$stop" ] && kill -TERM "$pid" 2>/dev/null # the signal came before there was a process to pass it to
wait "$pid"
code=$?
while kill -0 "$pid" 2>/dev/null; do # a signal ended the wait
  wait "$pid"
  code=$?
done

# 0: done. 2: wrong use. 4: the budget is spent. Anything else may pass.
case $code in
0 | 2 | 4) exit "$code" ;;
esac
if [ "${SLURM_RESTART_COUNT:-0}" -lt {{.Restarts}} ]; then
  # SLURM_JOB_ID would not do: for one task it is the id of the whole array.
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$i"
fi
exit "$code"
