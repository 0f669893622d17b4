#!/usr/bin/env bash
# Installs Python packages for tests and prints their folder: clients, of MCP, and nemogym, with the agent of NeMo Gym, for
# AIRQA_TEST_CLIENTS; loaders, with the datasets library of Hugging Face, for AIRQA_TEST_LOADERS; smallmodels, two models and a
# server, for AIRQA_TEST_MODELS. nemogym and loaders need Python 3.12 or newer. The file "complete" in the folder names the
# interpreter.
# Usage: install.sh clients|nemogym|loaders|smallmodels [folder]. It does nothing when the folder has them already. Where they cannot be
# installed it says why on stderr, prints nothing and exits 0: the tests are then skipped.
set -euo pipefail
requirements=$(cd "$(dirname "$0")" && pwd)/$1/requirements.txt
case $(uname -s) in
  Darwin) cache="$HOME/Library/Caches" ;;
  *) cache="${XDG_CACHE_HOME:-$HOME/.cache}" ;;
esac
target=${2:-$cache/airqa/$1-$(cksum <"$requirements" | cut -d' ' -f1)}

if [ ! -e "$target/complete" ]; then
  mkdir -p "$(dirname "$target")"
  python=python3
  if [ "$1" = nemogym ] || [ "$1" = loaders ]; then
    for python in python3.13 python3.12 python3; do
      "$python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && break
      python=
    done
    if [ -z "$python" ]; then
      echo "The $1 are not installed: they need Python 3.12 or newer with pip. Tests that need them are skipped." >&2
      exit 0
    fi
  fi
  new=$(mktemp -d "$target.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  if ! "$python" -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-input --retries 1 --timeout 15 \
    --no-deps --no-compile --only-binary :all: -r "$requirements" --target "$new" >&2; then
    echo "The $1 are not installed: pip or its index is out of reach. Tests that need them are skipped." >&2
    exit 0
  fi
  command -v "$python" >"$new/complete"
  chmod 755 "$new"
  rm -rf "$target"
  mv "$new" "$target"
  trap - EXIT
fi
echo "$target"
