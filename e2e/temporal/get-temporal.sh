#!/usr/bin/env bash
# Builds Temporal's server and its SQL tool into $SKEIN_TEMPORAL_DIR, from the Go module proxy alone, for
# `npm run test:temporal`: about twelve minutes of one core. What is there is not built again. Needs Go 1.26.
set -euo pipefail

folder=${SKEIN_TEMPORAL_DIR:?must say where Temporal is kept}
version=1.32.1

mkdir -p "$folder/part"
export GOBIN="$folder/part" CGO_ENABLED=0 GOFLAGS=-buildvcs=false GOWORK=off

# build PACKAGE PROGRAM: the name is given last, so that what has it is complete.
build() {
  [ ! -x "$folder/$2-$version" ] || return 0
  (cd "$folder" && nice -n 19 go install "go.temporal.io/server/cmd/$1@v$version")
  mv "$folder/part/$(basename "$1")" "$folder/$2-$version"
}
build tools/sql temporal-sql-tool
build server temporal-server
