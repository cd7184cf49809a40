#!/usr/bin/env bash
# Takes random programs on promises and on the model: Scripts/soak.sh <programs> <seconds> [<seed> [debug]]
# Stops after so many programs of one thread and, with programs of several, when the time is up.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=${1:-1000000} seconds=${2:-600} seed=${3:-$RANDOM} configuration=${4:-release}
folder=.build/soak
export TEST_TARGETS=StressTests
${SWIFT:-swift} build -c "$configuration" --build-tests --scratch-path "$folder"

# A test looks at no clock, so the time is kept here.
stop=$(mktemp -u)
(sleep "$seconds"; touch "$stop") &
clock=$!
# A defect may use up memory until the machine has none.
ulimit -v $((16 << 20)) 2>/dev/null || true
# Whoever hangs is killed, and then it is said what it did: a minute is enough for the program that was under way.
last=$(mktemp)
trap 'kill $clock 2>/dev/null || true; rm -f "$stop" "$last"' EXIT
PROMISE_SOAK=$programs PROMISE_SOAK_SEED=$seed PROMISE_SOAK_STOP=$stop PROMISE_SOAK_LAST=$last \
  timeout --signal=KILL $((seconds + 60)) \
  ${SWIFT:-swift} test -c "$configuration" --skip-build --scratch-path "$folder" --filter SoakTests || {
  status=$?
  echo "The last program of several threads: $(cat "$last")"
  exit $status
}
