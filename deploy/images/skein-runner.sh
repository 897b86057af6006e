#!/bin/sh
# Starts the runner. First installs the agent programs named in SKEIN_RUNNER_PROGRAMS, such as
# "@anthropic-ai/claude-agent-sdk@0.3.325 @openai/codex@0.166.0", unless the volume already has exactly these. They are
# not part of the image because of their licences: naming them here is accepting their licences.
set -eu

programs=/var/lib/skein/programs
wanted=${SKEIN_RUNNER_PROGRAMS:-}
unset SKEIN_RUNNER_PROGRAMS

if [ -n "$wanted" ] && [ "$(cat "$programs/installed" 2>/dev/null || true)" != "$wanted" ]; then
  echo "Installing $wanted"
  mkdir -p "$programs"
  rm -f "$programs/installed"
  [ -f "$programs/package.json" ] || echo '{ "private": true }' >"$programs/package.json"
  # The words of $wanted are the packages. No secret of the runner is in npm's environment.
  # shellcheck disable=SC2086
  env -i PATH="$PATH" HOME="$HOME" TMPDIR="${TMPDIR:-/tmp}" \
    HTTPS_PROXY="${HTTPS_PROXY:-}" NO_PROXY="${NO_PROXY:-}" NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-}" \
    npm_config_cache="$programs/.cache" ${npm_config_registry:+"npm_config_registry=$npm_config_registry"} \
    npm install --prefix "$programs" --ignore-scripts --no-audit --no-fund --save-exact $wanted
  rm -rf "$programs/.cache"
  echo "$wanted" >"$programs/installed"
fi

exec node /opt/skein/node_modules/@skein/runner/bin/skein-runner.mjs "$@"
