#!/usr/bin/env bash
# Builds Gitea into $SKEIN_GITEA_DIR, from the Go module proxy alone, for the nightly test of code hosts: about ten minutes
# of one core. What is there is not built again. Needs Go 1.26, gcc, and 4 GB for sources and Go's caches.
set -euo pipefail

folder=${SKEIN_GITEA_DIR:?must say where Gitea is kept}
# Later versions need modules that the proxy does not have.
version=1.26.0
[ ! -x "$folder/gitea-$version" ] || exit 0

mkdir -p "$folder"
export CGO_ENABLED=1 GOFLAGS=-buildvcs=false GOWORK=off
source=$(cd "$folder" && go mod download -json "code.gitea.io/gitea@v$version" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
rm -rf "$folder/src"
cp -r "$source" "$folder/src"
chmod -R u+w "$folder/src"
tags='sqlite sqlite_unlock_notify'
(cd "$folder/src" && nice -n 19 go build -trimpath -tags "$tags" \
  -ldflags "-s -w -X 'main.Version=$version' -X 'main.Tags=$tags'" -o "$folder/gitea.part" .)
# All that Gitea needs besides its program. It looks for the manifest of its own front end, which is not built.
rm -rf "$folder/static"
mkdir "$folder/static"
mv "$folder/src/templates" "$folder/src/options" "$folder/src/public" "$folder/static"
mkdir -p "$folder/static/public/assets/.vite"
echo '{}' >"$folder/static/public/assets/.vite/manifest.json"
rm -rf "$folder/src"
mv "$folder/gitea.part" "$folder/gitea-$version"
