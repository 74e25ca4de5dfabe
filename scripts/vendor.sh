#!/usr/bin/env bash
# Fetch the front-end files that are kept in the repository again, from the npm
# packages they come from. Needs npm; nothing else of the project does.
#
#   scripts/vendor.sh               into static/, and axe-core into AXE_DIR
#   STATIC=/tmp/x scripts/vendor.sh into another folder, to compare
#   scripts/vendor.sh icon NAME...  print icons as <symbol> lines for static/icons.svg,
#                                   which is put together by hand from the ones in use
#
#   package                           file                                      goes to
#   basecoat-css                      dist/basecoat-nova.cdn.min.css            static/vendor/basecoat.css
#   htmx.org                          dist/htmx.min.js                          static/vendor/htmx.min.js
#   @fontsource-variable/geist        files/geist-latin*-wght-normal.woff2      static/fonts/
#   @fontsource-variable/geist-mono   files/geist-mono-latin-wght-normal.woff2  static/fonts/
#   lucide-static                     icons/NAME.svg                            static/icons.svg, by hand
#   axe-core (tests only)             axe.min.js                                AXE_DIR/axe.min.js
#
# To move to a new version: change it here and in static/vendor/README.md, run
# `make vendor`, read the difference, run the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

BASECOAT=basecoat-css@1.0.2
HTMX=htmx.org@4.0.1
GEIST=@fontsource-variable/geist@5.3.0
GEIST_MONO=@fontsource-variable/geist-mono@5.3.0
LUCIDE=lucide-static@1.62.0
AXE=axe-core@4.14.1

STATIC=${STATIC:-static}
AXE_DIR=${AXE_DIR:-internal/browser/testdata}

command -v npm >/dev/null || { echo "vendor: npm is needed (Debian: apt-get install npm)" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# unpack PACKAGE@VERSION: fetches it and prints the folder it is in.
unpack() {
	local to="$tmp/$1"
	mkdir -p "$to"
	(cd "$to" && npm pack --silent "$1" >/dev/null && tar -xzf ./*.tgz)
	echo "$to/package"
}

if [ "${1:-}" = icon ]; then
	shift
	lucide=$(unpack "$LUCIDE")
	for name in "$@"; do
		# The shapes between <svg ...> and </svg>, on one line.
		shapes=$(tr '\n' ' ' <"$lucide/icons/$name.svg" | sed -E 's/.*<svg[^>]*>//; s/<\/svg>.*//; s/^ +| +$//g; s/> +</></g')
		printf '<symbol id="%s" viewBox="0 0 24 24">%s</symbol>\n' "$name" "$shapes"
	done
	exit
fi

copy() { mkdir -p "$(dirname "$2")" && cp "$1" "$2" && chmod 644 "$2" && echo "$2"; }

from=$(unpack "$BASECOAT")
copy "$from/dist/basecoat-nova.cdn.min.css" "$STATIC/vendor/basecoat.css"
from=$(unpack "$HTMX")
copy "$from/dist/htmx.min.js" "$STATIC/vendor/htmx.min.js"
from=$(unpack "$GEIST")
copy "$from/files/geist-latin-wght-normal.woff2" "$STATIC/fonts/geist-latin-wght-normal.woff2"
copy "$from/files/geist-latin-ext-wght-normal.woff2" "$STATIC/fonts/geist-latin-ext-wght-normal.woff2"
from=$(unpack "$GEIST_MONO")
copy "$from/files/geist-mono-latin-wght-normal.woff2" "$STATIC/fonts/geist-mono-latin-wght-normal.woff2"
from=$(unpack "$AXE")
copy "$from/axe.min.js" "$AXE_DIR/axe.min.js"
