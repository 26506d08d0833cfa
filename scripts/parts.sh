#!/bin/sh
# Installs what some test suites need beside npm packages (Debian and its children).
set -eu

# A database, a switch with packets, a second one with a command line over SSH, and hosts to plug into them.
packages="postgresql-15 openvswitch-switch vde2 vde-switch openssh-server openssl iproute2 iputils-ping ethtool python3"
# An identity provider, and a browser to log in with.
packages="$packages keystone uwsgi-core uwsgi-plugin-python3 python3-psycopg2 sqlite3 chromium"
# Shells that the command line completes words in.
packages="$packages zsh fish"
# A clock that can be set for one process.
packages="$packages faketime"
# What a process asks of its system, and a disk that fails.
packages="$packages strace"
# A BMC, machines that boot from the network, and what runs virtual ones.
packages="$packages openipmi ipmitool libvirt-daemon-system libvirt-clients qemu-utils qemu-system-arm"
# What a machine boots to be cleaned is a program for PCs, which are emulated on other computers.
packages="$packages qemu-system-x86 seabios ipxe-qemu"
[ "$(uname -m)" != aarch64 ] || packages="$packages qemu-efi-aarch64"

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
# Services of the packages are not wanted: tests start their own, in places of their own.
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  -o DPkg::Lock::Timeout=300 $missing
echo "parts: done"
