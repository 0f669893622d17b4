#!/bin/bash
# request.sh METHOD PATH [BODY] sends a request to airqa serve with the control token and prints the body of the reply.
# It fails unless the status is 200.
set -euo pipefail
export LC_ALL=C
body=${3:-}
exec 3<>/dev/tcp/127.0.0.1/8378
printf '%s %s HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s' \
  "$1" "$2" "$(cat /tmp/airqa/token)" "${#body}" "$body" >&3
read -r _ status _ <&3
sed '1,/^\r$/d' <&3
[ "$status" = 200 ]
