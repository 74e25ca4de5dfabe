#!/usr/bin/env bash
# Make sure that programs the project needs are on this machine.
#
#   scripts/need.sh [--soft] postgres|chromium|go|make ...
#
# What is missing is installed with apt-get, as root or with a sudo that asks for
# no password. Where that cannot be done it says what to install and fails;
# with --soft it only says so.
set -euo pipefail

OLDEST_POSTGRES=15 # localpg.OldestMajor

say() { echo "need: $*" >&2; }

has_postgres() {
	local dir major path
	path=$(command -v postgres || true)
	for dir in ${path:+"${path%/*}"} /usr/lib/postgresql/*/bin /usr/pgsql-*/bin \
		/opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin /usr/local/pgsql/bin; do
		[ -x "$dir/postgres" ] && [ -e "$dir/initdb" ] || continue
		major=$("$dir/postgres" --version 2>/dev/null | sed -E 's/.*\) ([0-9]+).*/\1/')
		[ "${major:-0}" -ge "$OLDEST_POSTGRES" ] 2>/dev/null && return 0
	done
	return 1
}

has_chromium() {
	local name
	for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do
		command -v "$name" >/dev/null && return 0
	done
	[ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ] ||
		[ -x "/Applications/Chromium.app/Contents/MacOS/Chromium" ]
}

has_go() { command -v go >/dev/null; }
has_make() { command -v make >/dev/null; }

hint() {
	case $1 in
	postgres) echo "PostgreSQL $OLDEST_POSTGRES or newer, the server (Debian, Ubuntu: postgresql; Homebrew: postgresql@17)" ;;
	chromium) echo "Chromium or Chrome (Debian: chromium; Homebrew: --cask chromium)" ;;
	go) echo "Go 1.26 or newer (https://go.dev/dl)" ;;
	make) echo "GNU make" ;;
	esac
}

apt() { $root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" </dev/null >&2; }

update_once() {
	[ -n "${updated:-}" ] || apt update
	updated=yes
}

# The package makes and starts a cluster of the machine's own when it is
# installed. Only the programs are wanted, so that is off meanwhile.
install_postgres() {
	local conf=/etc/postgresql-common/createcluster.conf status=0
	apt install --no-install-recommends postgresql-common || return
	$root cp -p "$conf" "$conf.before-need"
	$root sed -i -E "s/^#? *create_main_cluster.*/create_main_cluster = false/" "$conf"
	apt install --no-install-recommends postgresql || status=$?
	$root mv "$conf.before-need" "$conf"
	return $status
}

install_chromium() { apt install --no-install-recommends chromium fonts-liberation; }
install_make() { apt install --no-install-recommends make; }
install_go() { return 1; } # distributions have older ones

soft=no
root=
missing=0
for what in "$@"; do
	case $what in
	--soft) soft=yes; continue ;;
	postgres | chromium | go | make) ;;
	*) say "unknown: $what"; exit 2 ;;
	esac
	"has_$what" && continue
	can=no
	if command -v apt-get >/dev/null; then
		if [ "$(id -u)" = 0 ]; then
			can=yes
		elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
			can=yes root="sudo -n"
		fi
	fi
	if [ $can = yes ] && [ "$what" != go ]; then
		say "installing $what with apt-get"
		{ update_once && "install_$what"; } || say "apt-get failed"
	fi
	"has_$what" && continue
	say "missing: $(hint "$what")"
	missing=1
done
[ $soft = yes ] || exit $missing
