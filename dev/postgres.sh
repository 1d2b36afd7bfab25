#!/usr/bin/env bash
# Runs a command with a throw-away PostgreSQL, named by DATABASE_URL, and removes it afterwards:
#   dev/postgres.sh .venv/bin/python -m pytest tests/apps
# The server listens on a free port of 127.0.0.1 and keeps its data in a temporary folder. It is
# started as user postgres when this runs as root, which PostgreSQL refuses to run as.
# With --if-there, a machine without a server gets a warning and no failure, except under CI=true.
set -euo pipefail

if_there=
if [[ ${1:-} == --if-there ]]; then
  if_there=yes
  shift
fi

newest_bin() {
  local found
  found=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1 || true)
  if [[ -n $found ]]; then
    echo "$found"
  elif command -v initdb >/dev/null; then
    dirname "$(command -v initdb)"
  else
    echo "No PostgreSQL server was found. On Debian and Ubuntu: apt-get install postgresql" >&2
    return 1
  fi
}

as_owner() {
  if [[ $EUID == 0 ]]; then
    runuser -u postgres -- "$@"
  else
    "$@"
  fi
}

if ! bin=$(newest_bin); then
  if [[ -n $if_there && ${CI:-} != true ]]; then
    echo "Not run on PostgreSQL: $*" >&2
    exit 0
  fi
  exit 1
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/hotswap-postgres.XXXXXX")
if [[ $EUID == 0 ]]; then
  chown postgres "$folder"
fi

stop() {
  as_owner "$bin/pg_ctl" --pgdata="$folder/data" --mode=immediate --silent stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap stop EXIT

# initdb and pg_ctl want a folder that their user may enter
cd "$folder"
as_owner "$bin/initdb" --pgdata="$folder/data" --username=hotswap --auth=trust --encoding=UTF8 \
  --locale=C.UTF-8 --no-sync >/dev/null
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
# what a crash would lose is thrown away anyway
as_owner "$bin/pg_ctl" --pgdata="$folder/data" --wait --timeout=60 --silent --log="$folder/log" start --options="\
  -c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories=$folder \
  -c max_connections=${POSTGRES_CONNECTIONS:-100} \
  -c fsync=${POSTGRES_FSYNC:-off} -c synchronous_commit=${POSTGRES_FSYNC:-off} -c full_page_writes=${POSTGRES_FSYNC:-off}" \
  || { cat "$folder/log" >&2; exit 1; }
cd "$OLDPWD"

export DATABASE_URL="postgresql://hotswap@127.0.0.1:$port/postgres"
"$@"
