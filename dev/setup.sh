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

# The tests run on SQLite and on PostgreSQL (`make test-postgres`), which is no Python package.
install_postgresql() {
  if compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null; then
    return
  fi
  if [[ $EUID == 0 ]] && command -v apt-get >/dev/null; then
    echo "Installing PostgreSQL."
    # no cluster of the machine's own: tests start and remove theirs
    if { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes \
      --no-install-recommends postgresql-common && sed -i \
      's/^#\?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf \
      && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends postgresql; } \
      >/tmp/hotswap-postgresql.log 2>&1; then
      return
    fi
    echo "It could not be installed; /tmp/hotswap-postgresql.log says why." >&2
  fi
  echo "There is no PostgreSQL server, so \`make test-postgres\` will not run." >&2
  echo "On Debian and Ubuntu: sudo apt-get install postgresql" >&2
}

# Browser tests drive it; it is no Python package either.
install_chromium() {
  if command -v chromium >/dev/null; then
    return
  fi
  if [[ $EUID == 0 ]] && command -v apt-get >/dev/null; then
    echo "Installing Chromium."
    if { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes \
      --no-install-recommends chromium; } >/tmp/hotswap-chromium.log 2>&1; then
      return
    fi
    echo "It could not be installed; /tmp/hotswap-chromium.log says why." >&2
  fi
  echo "There is no Chromium, so the browser tests will not run." >&2
  echo "On Debian and Ubuntu: sudo apt-get install chromium" >&2
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
install_postgresql
install_chromium
echo "$fingerprint" > .venv/.ready
echo "Ready after $((SECONDS - started)) s."
