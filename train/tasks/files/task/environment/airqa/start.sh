#!/bin/bash
# Serves one episode under the id "task". Only this container knows the control token.
set -eu
mkdir -p /tmp/airqa
(umask 077 && od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >/tmp/airqa/token)
airqa serve --questions /airqa/questions.jsonl --out /tmp/airqa/run --listen 0.0.0.0:8378 --token-file /tmp/airqa/token \
  --idle 168h {{join .Serve " "}} ${JUDGE:+--judge "$JUDGE"} &
trap 'kill -TERM $!' TERM INT
until bash /airqa/request.sh POST /episodes '{"index": 0, "episode": "task"}' >/dev/null 2>&1; do
  kill -0 $! # ends the script with the server
  sleep 0.3
done
wait $!
