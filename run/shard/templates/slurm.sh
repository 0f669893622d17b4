#!/bin/bash
# Made by airqa shards slurm: {{.Shards}} shards of airqa {{.Command}}, one for each task of the array.
#
# Submit it, with the keys in the environment:
#   sbatch {{.Name}}.sbatch
# {{if .Command.AddsPapers}}Join{{else}}Merge{{end}} the shards when all tasks have ended:
#   {{.Merge}}
# The {{.Command.Last}} can wait for the array as a job:
#   job=$(sbatch --parsable {{.Name}}.sbatch)
#   sbatch --dependency=afterok:"$job"{{if .Command.AddsPapers}} --mem={{.Memory}} --time={{.Time}}{{end}} --wrap={{quote .Merge}}
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

# Five minutes before the time limit, {{if .Command.AddsPapers}}the papers that were read are indexed{{else}}questions in flight are finished{{end}}. The task is queued again and resumes.
pid= stop=
trap 'if [ -n "$pid" ]; then kill -TERM "$pid" 2>/dev/null; else stop=1; fi' TERM

airqa {{.Command}}{{range .Args}} {{quote .}}{{end}} \
  --shard "$i/{{.Shards}}" {{.Command.Target}} {{quote .Root}}/"$i-of-{{.Shards}}" &
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
{{- if .Command.AddsPapers}}
3) exit 0 ;; # some papers cannot be read, which is final: the log lists them, and the others are in
{{- end}}
esac
if [ "${SLURM_RESTART_COUNT:-0}" -lt {{.Restarts}} ]; then
  # SLURM_JOB_ID would not do: for one task it is the id of the whole array.
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$i"
fi
exit "$code"
