#!/usr/bin/env bash
# Runs random programs with promises and with the model, and compares the results.
# Usage: soak.sh <programs> <seconds> [<seed> [debug]]
# The number limits the programs with one thread, and the time limits the programs with several threads.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=${1:-1000000} seconds=${2:-600} seed=${3:-$RANDOM} configuration=${4:-release}
folder=.build/soak
export TEST_TARGETS=StressTests
${SWIFT:-swift} build -c "$configuration" --build-tests --scratch-path "$folder"

# Tests read no clock, so this script measures the time.
stop=$(mktemp -u)
(sleep "$seconds"; touch "$stop") &
clock=$!
# A defect could use up all memory of the machine.
ulimit -v $((16 << 20)) 2>/dev/null || true
# Kills a hanging run and prints its current program. A minute is enough to finish a program that does not hang.
last=$(mktemp)
trap 'kill $clock 2>/dev/null || true; rm -f "$stop" "$last"' EXIT
PROMISE_SOAK=$programs PROMISE_SOAK_SEED=$seed PROMISE_SOAK_STOP=$stop PROMISE_SOAK_LAST=$last \
  timeout --signal=KILL $((seconds + 60)) \
  ${SWIFT:-swift} test -c "$configuration" --skip-build --scratch-path "$folder" --filter SoakTests || {
  status=$?
  echo "The last program of several threads: $(cat "$last")"
  exit $status
}
