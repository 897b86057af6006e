#!/bin/sh
# Gives an agent a task, waits until it is done or needs you, and prints what it said last.
# Usage: ask-an-agent.sh "Explain what this repository does."
set -eu

agent=$(skein spawn --max-cost 2 "${1:?what is the agent to do?}")
# 10 means that the agent failed, 11 that it was killed: see docs/cli.md.
skein wait --timeout 30m "$agent" >&2
skein status "$agent" --json | node -e '
  const { lastMessage, cost } = JSON.parse(require("node:fs").readFileSync(0, "utf8"))
  console.log(lastMessage)
  console.error(`It cost $${cost}.`)'
