#!/bin/sh
# Installs what some test suites need beside npm packages (Debian and its children).
set -eu

packages="postgresql-15"

missing=""
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
if [ -z "$missing" ]; then
  echo "parts: everything is installed:" $packages
  exit 0
fi

if ! command -v apt-get >/dev/null 2>&1; then
  echo "parts: no apt-get here; install these by hand:$missing" >&2
  exit 1
fi
as_root=""
[ "$(id -u)" -eq 0 ] || as_root="sudo"

echo "parts: installing$missing"
$as_root apt-get update -qq
# The package's own cluster is not wanted: tests start one of theirs.
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  -o DPkg::Lock::Timeout=300 $missing
echo "parts: done"
