#!/usr/bin/env bash
# Converts the archive that Scripts/build-docs.py wrote to files for a web host, in .build/site.
# Usage: build-site.sh [BASE]. BASE is the path below which the host serves the files.
set -euo pipefail
cd "$(dirname "$0")/.."
site=.build/site

rm -rf "$site"
docc=$(dirname "$(command -v "${SWIFT:-swift}")")/docc
[ -x "$docc" ] || docc="xcrun docc"
$docc process-archive transform-for-static-hosting .build/docs/Promises.doccarchive --output-path "$site" \
  ${1:+--hosting-base-path "$1"}
# docc replaces the archive's style sheet and first page with its own. Its first page shows an error for `/`.
for sheet in "$site"/css/index.*.css; do
  cat Scripts/site.css >>"$sheet"
done
echo '<!doctype html><meta http-equiv="refresh" content="0; url=documentation/">' >"$site/index.html"
