#!/usr/bin/env bash
# Writes requirements.lock: what `make test` installs, in the versions of today, for Python 3.11 and later on every platform, each with
# the hashes that PyPI publishes for all its files. Run by `make lock`; uv does the work, in an environment that is thrown away.
set -euo pipefail
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"${PYTHON:-python3}" -m venv "$place/uv"
"$place/uv/bin/python" -m pip --disable-pip-version-check -q install 'uv>=0.8'
# What builds the package is locked too, so that it can be built without fetching anything else.
printf '%s\n' 'setuptools>=77' 'Cython>=3.2' > "$place/build.in"
env -u UV_DEFAULT_INDEX -u UV_INDEX_URL -u UV_INDEX "$place/uv/bin/uv" pip compile -q --no-config --universal --python-version 3.11 \
  --generate-hashes --no-annotate --no-header --no-emit-index-url --upgrade \
  --extra report --extra sentences --extra explore --group dev \
  --output-file "$place/lock" pyproject.toml "$place/build.in"
{
  echo "# What make test installs, with hashes; written by make lock. Use: pip install --require-hashes -r requirements.lock"
  cat "$place/lock"
} > requirements.lock
