#!/bin/bash
# Converts the result that the sidecar has scored. No reward is a fault of the environment, not a reward of 0.
set -eu
result=/tmp/airqa/result.json
reward=$(sed -n 's/^.*"reward":\([0-9][0-9.eE+-]*\).*$/\1/p' "$result")
if [ -z "$reward" ]; then
  echo "no reward in the result:" >&2
  cat "$result" >&2
  exit 1
fi
mkdir -p /logs/verifier
echo "{\"reward\": $reward}" >/logs/verifier/reward.json
