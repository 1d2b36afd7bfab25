#!/usr/bin/env bash
# Makes .venv ready: the pinned requirements and `hotswap` itself, editable. Does nothing when it is
# ready already, builds it anew when the folder was moved or copied. PYTHON=... chooses a Python.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fingerprint=$( { pwd; cat requirements/*.txt agents/pyproject.toml dev/setup.sh; } | sha256sum)
if [[ -f .venv/.ready && $(<.venv/.ready) == "$fingerprint" ]] && .venv/bin/python -c '' 2>/dev/null; then
  exit 0
fi

usable() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
  for candidate in ${PYTHON:+"$PYTHON"} python3 python3.11 python3.12 python3.13 python3.14; do
    if usable "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  echo "No Python 3.11 or newer was found. Install one, or name it: make setup PYTHON=/path/to/python3" >&2
  return 1
}

make_environment() {
  python=$(find_python)
  if ! "$python" -m venv --clear .venv; then
    rm -rf .venv
    echo "$python cannot make virtual environments. On Debian and Ubuntu: apt-get install python3-venv" >&2
    return 1
  fi
}

echo "Setting up .venv; the first time, torch takes some minutes."
started=$SECONDS
# a folder that was copied still points to where it came from
if ! { usable .venv/bin/python && grep -qF -- "$PWD/.venv" .venv/pyvenv.cfg; }; then
  make_environment
fi

pip=(.venv/bin/python -m pip --disable-pip-version-check --no-input)
install=("${pip[@]}" install -qq --root-user-action=ignore)
"${install[@]}" --requirement requirements/dev.txt
# setuptools is among the requirements, so that nothing is fetched for the build
"${install[@]}" --no-deps --no-build-isolation --editable agents
"${pip[@]}" check
echo "$fingerprint" > .venv/.ready
echo "Ready after $((SECONDS - started)) s."
