#!/bin/sh
# Runs a command as on a machine where the packages of the parts have just been unpacked: nobody has set any of them up,
# none of their daemons ran, and nobody has a home. What a suite takes from there instead of making it is missing then.
#   sh scripts/unpacked.sh npm test
set -eu

if [ "$(id -u)" -ne 0 ]; then
  echo "unpacked: this hides directories of the system in a mount namespace, which needs root" >&2
  exit 1
fi

# shellcheck disable=SC2016 # expanded by the inner shell
exec unshare --mount --propagation private -- sh -eu -c '
  hide() { [ ! -d "$1" ] || mount -t tmpfs -o "mode=$2" none "$1"; }
  for place in \
    /etc/keystone /var/lib/keystone /var/log/keystone \
    /etc/libvirt /var/lib/libvirt /var/log/libvirt /var/cache/libvirt \
    /etc/openvswitch /var/lib/openvswitch /var/log/openvswitch \
    /etc/postgresql /etc/postgresql-common /var/lib/postgresql /var/log/postgresql \
    /etc/ssh /etc/vde2 /etc/uwsgi /etc/ipmi
  do hide "$place" 755; done
  # Pid files, sockets and network namespaces of whatever runs on this machine.
  hide /run 755
  mkdir -m 1777 /run/lock
  mkdir -m 700 /run/home
  export HOME=/run/home
  unset XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR
  exec "$@"
' sh "$@"
