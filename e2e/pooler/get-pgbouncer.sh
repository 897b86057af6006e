#!/bin/sh
# Puts PgBouncer of a Debian release into a folder, with its libraries, and prints a command that runs it.
# It runs on any Linux with glibc, whatever PgBouncer the machine itself has. Packages are checked by apt.
#
#   e2e/pooler/get-pgbouncer.sh trixie ~/.cache/skein/pgbouncer-trixie
set -eu
suite=$1
folder=$2
# The machine's own mirror, unless another is named.
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' | head -n 1)}
arch=$(dpkg --print-architecture)

if [ ! -x "$folder/pgbouncer" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/debs" "$work/root"
  : >"$work/status"
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  echo "deb [arch=$arch signed-by=$keyring] $mirror $suite main" >"$work/sources.list"
  apt() {
    apt-get -qq -o APT::Architecture="$arch" -o APT::Sandbox::User= -o Dir::Etc::SourceList="$work/sources.list" \
      -o Dir::Etc::SourceParts=- -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
      -o Dir::Cache="$work/cache" "$@" >&2
  }
  apt update
  # What the service around it needs (Perl, a shell) is left out.
  names=$(apt-cache -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- \
    -o Dir::State="$work/state" -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" \
    depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances pgbouncer |
    grep -E '^(pgbouncer|lib[a-z0-9.+-]+|zlib1g)$' | grep -vE '^lib(perl|.*-perl)' | sort -u)
  (cd "$work/debs" && apt download $names)
  for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$work/root"; done
  mkdir -p "$folder"
  cp -a "$work/root/usr" "$folder/"
  for top in lib lib64; do [ -d "$work/root/$top" ] && cp -a "$work/root/$top/." "$folder/usr/$top/"; done
  loader=$(find "$folder/usr" -name 'ld-linux*.so.*' | head -n 1)
  libraries=$(find "$folder/usr/lib" -name 'libc.so.6' -printf '%h\n' | head -n 1)
  printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' \
    "$loader" "$libraries" "$folder/usr/sbin/pgbouncer" >"$folder/pgbouncer"
  chmod +x "$folder/pgbouncer"
fi
echo "$folder/pgbouncer"
