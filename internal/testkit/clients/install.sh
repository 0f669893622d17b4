#!/usr/bin/env bash
# Installs the Python client of MCP for the tests of cmd/airqa and prints the folder to set AIRQA_TEST_CLIENTS to.
# Usage: install.sh [folder]. It does nothing when the folder has them already. Where they cannot be installed it
# says why on stderr, prints nothing and exits 0: the tests are then skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
case $(uname -s) in
  Darwin) cache="$HOME/Library/Caches" ;;
  *) cache="${XDG_CACHE_HOME:-$HOME/.cache}" ;;
esac
target=${1:-$cache/airqa/clients-$(cksum <"$here/requirements.txt" | cut -d' ' -f1)}

if [ ! -e "$target/complete" ]; then
  mkdir -p "$(dirname "$target")"
  new=$(mktemp -d "$target.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  if ! python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-input --retries 1 --timeout 15 \
    --no-deps --no-compile --only-binary :all: -r "$here/requirements.txt" --target "$new" >&2; then
    echo "The client is not installed: pip or its index is out of reach. Tests that need them are skipped." >&2
    exit 0
  fi
  touch "$new/complete"
  chmod 755 "$new"
  rm -rf "$target"
  mv "$new" "$target"
  trap - EXIT
fi
echo "$target"
