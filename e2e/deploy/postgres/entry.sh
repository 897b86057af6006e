#!/bin/sh
# POSTGRES_USER, POSTGRES_PASSWORD_FILE, POSTGRES_DB and /docker-entrypoint-initdb.d/*.sql, as in the official image.
set -eu

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  chown -R postgres /var/lib/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth=scram-sha-256 --auth-local=trust >/dev/null
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait --options="-c listen_addresses=" start >/dev/null
  createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  for file in /docker-entrypoint-initdb.d/*.sql; do
    psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=ON_ERROR_STOP=1 --no-psqlrc --file="$file"
  done
  pg_ctl --wait stop >/dev/null
fi

exec "$@" -c 'listen_addresses=*'
