# What the official image of PostgreSQL does with its variables, as far as the fleet needs it.
set -eu
as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }

mkdir -p "$PGDATA" /var/run/postgresql
chown postgres: "$PGDATA" /var/run/postgresql
chmod 0700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" > /tmp/password
  chown postgres: /tmp/password
  as_postgres initdb --username "$POSTGRES_USER" --pwfile /tmp/password --auth scram-sha-256 > /dev/null
  rm /tmp/password
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | as_postgres postgres --single -D "$PGDATA" -j postgres > /dev/null
fi
exec setpriv --reuid postgres --regid postgres --clear-groups postgres -c listen_addresses='*'
