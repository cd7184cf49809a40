#!/usr/bin/env bash
# Builds and tests the package Docs/Examples/WorksWith, which needs the packages of others (Docs/WorksWith.md). It stops
# with status 3 if one of these cannot be fetched, because then nothing was tested.
#
#   works-with             resolves, builds and tests
#   works-with --resolve   only resolves. If a package cannot be fetched, it says so and succeeds
set -euo pipefail
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
package=(--package-path Docs/Examples/WorksWith --scratch-path .build/works-with)
# TEST_TARGETS and EXAMPLES remove targets from this package, even if it is a dependency.
unset TEST_TARGETS EXAMPLES

while read -r url version; do
  if ! GIT_TERMINAL_PROMPT=0 git ls-remote --exit-code "$url" "refs/tags/$version" >/dev/null 2>&1; then
    printf 'works with: SKIPPED, nothing was built or tested, because %s %s cannot be fetched\n' "$url" "$version" >&2
    [ "${1:-}" = --resolve ] || exit 3
    exit 0
  fi
done < <(sed -nE 's/.*url: "([^"]+)", exact: "([^"]+)".*/\1 \2/p' Docs/Examples/WorksWith/Package.swift)

"$swift" package "${package[@]}" resolve
printf 'works with: the packages resolve\n'
if [ "${1:-}" = --resolve ]; then
  printf 'works with: SKIPPED the build and the tests, which take minutes. make works-with runs them\n'
  exit 0
fi
"$swift" build "${package[@]}" --build-tests
"$swift" test "${package[@]}" --skip-build --parallel --skip interruptedTool
# The servers of Hummingbird's tests catch SIGINT, so the test that sends it has a process of its own.
"$swift" test "${package[@]}" --skip-build --filter interruptedTool
