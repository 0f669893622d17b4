#!/bin/bash
# The oracle gives the gold answer through the tool Answer, as an agent would.
set -euo pipefail
export LC_ALL=C
body=$(cat "$(dirname "$0")/answer.json")
exec 3<>/dev/tcp/airqa/8378
printf 'POST /e/task/tools/Answer HTTP/1.0\r\nHost: airqa\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' "${#body}" "$body" >&3
read -r _ status _ <&3
cat <&3
[ "$status" = 200 ]
