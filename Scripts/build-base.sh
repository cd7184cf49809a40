#!/usr/bin/env bash
# Builds the benchmarks with the library of another commit, and prints the path of the program.
#
#     build-base COMMIT
#
# Both programs have the benchmarks of the working copy, so that only the library differs. Fails if they do not compile
# with the library of the commit. Builds each commit once, in .build/base.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# != 1 ]; then
  echo 'build-base.sh: needs one commit' >&2
  exit 2
fi
commit=$(git rev-parse --verify --quiet "$1^{commit}") || {
  echo "build-base.sh: there is no commit $1" >&2
  exit 2
}
folder=.build/base/${commit:0:12}
if [ ! -d "$folder" ]; then
  mkdir -p .build/base
  # A later run uses the folder, so it gets its name when it is complete.
  extracted=$(mktemp -d .build/base/new.XXXXXX)
  trap 'rm -rf "$extracted"' EXIT
  git archive "$commit" | tar -x -C "$extracted"
  mv "$extracted" "$folder"
fi
rm -rf "$folder/Benchmarks/Sources" "$folder/Benchmarks/Tests"
cp -R Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests "$folder/Benchmarks/"
"${SWIFT:-swift}" build -c release --package-path "$folder/Benchmarks" --product bench >&2
echo "$PWD/$folder/Benchmarks/.build/release/bench"
