#!/usr/bin/env bash
# Installs Milvus Lite for the tests of env/vectors/milvus and prints the folder to set AIRQA_MILVUS_LITE to.
# Usage: install.sh [folder]. It does nothing when the folder has it already. Where it cannot be installed it
# says why on stderr, prints nothing and exits 0: the tests are then skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
case $(uname -s) in
  Darwin) cache="$HOME/Library/Caches" ;;
  *) cache="${XDG_CACHE_HOME:-$HOME/.cache}" ;;
esac
target=${1:-$cache/airqa/milvus-lite-2.5.1}

if [ ! -x "$target/milvus_lite/lib/milvus" ]; then
  mkdir -p "$(dirname "$target")"
  new=$(mktemp -d "$target.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  if ! python3 -m pip install --quiet --disable-pip-version-check --no-input --retries 1 --timeout 15 \
    --no-deps --no-compile --only-binary :all: --require-hashes -r "$here/requirements.txt" --target "$new" >&2; then
    echo "Milvus Lite is not installed: pip or its index is out of reach. Tests that need it are skipped." >&2
    exit 0
  fi
  chmod 755 "$new"
  rm -rf "$target"
  mv "$new" "$target"
  trap - EXIT
fi
echo "$target"
