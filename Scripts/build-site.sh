#!/usr/bin/env bash
# build-site [BASE]: makes .build/site, files for a web host, of the archive that Scripts/build-docs.py wrote. BASE is the path below which the
# host serves them.
set -euo pipefail
cd "$(dirname "$0")/.."
site=.build/site

rm -rf "$site"
docc=$(dirname "$(command -v "${SWIFT:-swift}")")/docc
[ -x "$docc" ] || docc="xcrun docc"
$docc process-archive transform-for-static-hosting .build/docs/Promises.doccarchive --output-path "$site" \
  ${1:+--hosting-base-path "$1"}
# docc puts its own style sheet and its own first page in the place of the archive's. Without the latter, `/` is an error page.
for sheet in "$site"/css/index.*.css; do
  cat Scripts/site.css >>"$sheet"
done
echo '<!doctype html><meta http-equiv="refresh" content="0; url=documentation/">' >"$site/index.html"
