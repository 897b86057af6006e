#!/usr/bin/env bash
# Gets Keycloak into $SKEIN_KEYCLOAK_DIR, for the nightly test of sign-in: 180 MB from the Maven registry.
# What is there is not fetched again. Needs Java 17, Maven and unzip.
set -euo pipefail

folder=${SKEIN_KEYCLOAK_DIR:?must say where Keycloak is kept}
version=26.7.3
[ ! -x "$folder/keycloak-$version/bin/kc.sh" ] || exit 0

part="$folder/part"
rm -rf "$part"
mkdir -p "$part"
mvn -q -B dependency:copy -Dartifact="org.keycloak:keycloak-quarkus-dist:$version:zip" -DoutputDirectory="$part"
unzip -q "$part/keycloak-quarkus-dist-$version.zip" -d "$part"
mv "$part/keycloak-$version" "$folder"
rm -rf "$part"
