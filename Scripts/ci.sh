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

# In seconds. A step takes less than nine minutes; a step that exceeds this limit hangs. It is stopped and prints its
# stacks before CI itself is ended.
patience=800

# watch: reads a session's identifier, and then the end of the input when the session has ended. If that takes too long,
# it kills the session. On SIGQUIT, Swift's backtracer prints the stacks of all threads.
watch() {
  local session status=0
  read -r session
  read -rt "$patience" _ || status=$?
  # Not a timeout: the step has closed the pipe, so it has ended.
  ((status > 128)) || return 0
  printf '== hangs: these are its processes\n'
  ps -o pid,etime,time,args -s "$session" | cut -c1-200
  pkill -QUIT -s "$session" 'xctest|bench' || true
  sleep 60
  pkill -KILL -s "$session" || true
}

# step <name> <command>...: runs the command and prints its duration. After a failure it prints the lines that explain
# the failure last, because CI often keeps only the last lines.
step() {
  local name=$1 began=$SECONDS status=0
  shift
  printf '\n== %s\n' "$name"
  # The command gets its own session, whose identifier is that of its first process. macOS has no setsid.
  if command -v setsid >/dev/null; then
    exec 3> >(watch)
    set -- setsid bash -c 'echo $$ >&3; exec "$@" 3>&-' "$name" "$@"
  fi
  # With pipefail, tee does not hide the status.
  "$@" 2>&1 | tee "$log" || status=$?
  exec 3>&-
  if ((status)); then
    printf '\n== %s: what its output says of the failure, last 60 lines\n' "$name"
    grep -aE -- "$telling" "$log" | tail -n 60 || true
    printf '== %s: FAILED after %d s\n' "$name" $((SECONDS - began))
    exit "$status"
  fi
  printf '== %s: %d s\n' "$name" $((SECONDS - began))
}

step "lint" make lint
step "sources" make check-sources
# Builds everything. With CI=true, warnings are errors.
step "tests" make test
step "release tests" make test-release TEST_TARGETS=PromiseCoreTests,LeakTests EXAMPLES=none
step "slow tests" make test-slow
step "type-check" make typecheck
step "public API and documentation" make check-api docs
step "thread sanitizer" make proof ONLY="tsan --short"
if command -v spin >/dev/null; then
  # Without the broken variants of the largest model.
  step "models" make proof ONLY="models --short"
else
  printf '\n== models: skipped, spin is not installed\n'
fi
step "getting started" make try
# Building SwiftNIO and the others takes minutes, so CI only resolves them. The nightly workflow builds and tests.
case ${CI_WORKS_WITH:-resolve} in
  full) step "works with" make works-with ;;
  resolve) step "works with: resolve" Scripts/works-with.sh --resolve ;;
  *) printf '\n== works with: skipped, CI_WORKS_WITH is %s\n' "$CI_WORKS_WITH" ;;
esac
step "portability" make portability
step "benchmarks" make test-bench

printf '\n== all passed in %d s\n' "$SECONDS"
