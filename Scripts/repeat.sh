#!/usr/bin/env bash
# Runs the quick suites repeatedly, and stops at the first failure.
# Usage: repeat.sh [<times> [<arguments of swift test>...]]. The default is a thousand times.
#
# A test that fails once in a thousand runs fails somewhere every week. The stress suites and the tests of large numbers
# are skipped, because they take minutes and repeat their own steps.
set -euo pipefail
cd "$(dirname "$0")/.."
times=${1:-1000}
shift || true

quick='^(PromiseTestingTests|PromiseContextsTests|PromiseCoreTests|PromisesAPlusTests|ProgramTests)\.'
long='(ShortLivedLink|CancelOrder|AbandonStop|Unobserved)Tests'
output=$(mktemp)
trap 'rm -f "$output"' EXIT

swift build --build-tests "$@"
for ((run = 1; run <= times; run++)); do
  if ! swift test --skip-build --parallel --filter "$quick" --skip "$long" "$@" >"$output" 2>&1; then
    grep -E '✘|error:|Fatal' "$output" || tail -20 "$output"
    echo "failed in run $run of $times, after $SECONDS s"
    exit 1
  fi
  if ((run % 50 == 0)); then echo "$run of $times, $SECONDS s: $(tail -1 "$output")"; fi
done
echo "no failure in $times runs, $SECONDS s"
