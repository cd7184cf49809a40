#!/usr/bin/env bash
# Runs all checks of CI; the checks that are likely to fail soonest come first. It takes no arguments, needs Swift and
# Python 3, and works in a fresh clone.
set -euo pipefail
cd "$(dirname "$0")/.."
export CI=true
exec </dev/null

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Matches the lines that explain a failure: those of Swift Testing, with the compared values (`↳`), of the compiler, of
# a crash, of a sanitizer, and of make.
telling='✘|^ *↳|error:|Fatal error|warning: |WARNING: [A-Za-z]*Sanitizer|SUMMARY: |\*\*\*'

# step <argument of make>...: runs make and prints its duration. After a failure it prints the lines that explain the
# failure last, because CI often keeps only the last lines.
step() {
  local began=$SECONDS status=0
  printf '\n== make %s\n' "$*"
  # With pipefail, tee does not hide the status.
  make "$@" 2>&1 | tee "$log" || status=$?
  if ((status)); then
    printf '\n== make %s: what its output says of the failure, last 60 lines\n' "$*"
    grep -aE -- "$telling" "$log" | tail -n 60 || true
    printf '== make %s: FAILED after %d s\n' "$*" $((SECONDS - began))
    exit "$status"
  fi
  printf '== make %s: %d s\n' "$*" $((SECONDS - began))
}

step lint
step check-sources
# Builds everything. With CI=true, warnings are errors.
step test
step test-release TEST_TARGETS=PromiseCoreTests,LeakTests EXAMPLES=none
step test-slow
step typecheck
step check-api docs
step proof ONLY="tsan --short"
if command -v spin >/dev/null; then
  # Without the broken variants of the largest model.
  step proof ONLY="models --short"
else
  printf '\n== models: skipped, spin is not installed\n'
fi
step try
step portability
step test-bench

printf '\n== all passed in %d s\n' "$SECONDS"
