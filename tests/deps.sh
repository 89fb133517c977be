#!/usr/bin/env bash
# Installs the engines that the local Aiven runs, where that is possible; elsewhere it says what is missing. Without an
# engine, the local Aiven serves its API all the same. With the argument all, it installs the optional ones, too: MariaDB
# for services of type mysql (the package without a system service), Redis for those of type valkey, the clients of these and
# kcat for the tests of kubectl aero connect and of connection Secrets, for the latter also a JDK, drivers of JDBC and one of ClickHouse,
# Prometheus for the tests of the dashboard and the alerts, and Chromium for those of the site.
set -euo pipefail

missing=()
if ! command -v initdb >/dev/null && ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; then
  missing+=(postgresql)
fi
if ! command -v pgbouncer >/dev/null && [ ! -x /usr/sbin/pgbouncer ]; then
  missing+=(pgbouncer)
fi
if [ "${1:-}" = all ]; then
  if ! command -v mariadbd >/dev/null && [ ! -x /usr/sbin/mariadbd ]; then
    missing+=(mariadb-server-core)
  fi
  if ! command -v valkey-server >/dev/null && ! command -v redis-server >/dev/null; then
    missing+=(redis-server)
  fi
  if ! command -v mysql >/dev/null && ! command -v mariadb >/dev/null; then
    missing+=(mariadb-client)
  fi
  if ! command -v valkey-cli >/dev/null && ! command -v redis-cli >/dev/null; then
    missing+=(redis-tools)
  fi
  if ! command -v kcat >/dev/null; then
    missing+=(kcat)
  fi
  if ! command -v javac >/dev/null; then
    missing+=(default-jdk-headless)
  fi
  if [ ! -e /usr/share/java/postgresql.jar ]; then
    missing+=(libpostgresql-jdbc-java)
  fi
  if [ ! -e /usr/share/java/mariadb-java-client.jar ]; then
    missing+=(libmariadb-java)
  fi
  if [ ! -e /usr/lib/python3/dist-packages/clickhouse_driver ]; then
    missing+=(python3-clickhouse-driver)
  fi
  if ! command -v prometheus >/dev/null || ! command -v promtool >/dev/null; then
    missing+=(prometheus)
  fi
  if ! command -v chromium-headless-shell >/dev/null && ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
    missing+=(chromium-headless-shell)
  fi
fi
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi

if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
  echo "Not installed, so not used: ${missing[*]}. Install them with your package manager to run real databases and their clients."
  exit 0
fi

log=$(mktemp)
units=()
trap 'rm -f "$log" "${units[@]}"' EXIT
# The tests start servers of their own: these packages must not start their services.
for package in prometheus redis-server; do
  unit=/etc/systemd/system/$package.service
  if [[ " ${missing[*]} " == *" $package "* ]] && mkdir -p "${unit%/*}" && [ ! -e "$unit" ] && ln -s /dev/null "$unit"; then
    units+=("$unit")
  fi
done
echo "Installing ${missing[*]} from the distribution's packages ..."
if ! { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "Installing ${missing[*]} failed: see above. The local Aiven goes on without them." >&2
fi
