#!/usr/bin/env bash
# Everything CI checks, in the order in which it is likely to fail soonest. Needs Swift and Python 3; works in a fresh clone.
set -euo pipefail
cd "$(dirname "$0")/.."
export CI=true
exec </dev/null

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# What says why a step failed: of Swift Testing, with what it compared (`↳`), of the compiler, of a crash, of a sanitizer, of make.
telling='✘|^ *↳|error:|Fatal error|warning: |WARNING: [A-Za-z]*Sanitizer|SUMMARY: |\*\*\*'

# A step takes less than nine minutes. One that takes longer than this hangs, and is to say where before CI itself is ended.
patience=800

# watch: is told a session, and then that it has ended. If that takes too long it ends what has hung; to SIGQUIT Swift's backtracer answers
# with the stacks of the program's threads.
watch() {
  local session status=0
  read -r session
  read -rt "$patience" _ || status=$?
  # Else nobody has it open any more, to tell anything.
  ((status > 128)) || return 0
  printf '== hangs: these are its processes\n'
  ps -o pid,etime,time,args -s "$session" | cut -c1-200
  pkill -QUIT -s "$session" 'xctest|bench' || true
  sleep 60
  pkill -KILL -s "$session" || true
}

# step <name> <command>...: runs it and prints how long it took. If it fails the last lines say what did, for often they are all that is kept.
step() {
  local name=$1 began=$SECONDS status=0
  shift
  printf '\n== %s\n' "$name"
  # A session of its own is known by the process that begins it. macOS has no setsid.
  if command -v setsid >/dev/null; then
    exec 3> >(watch)
    set -- setsid bash -c 'echo $$ >&3; exec "$@" 3>&-' "$name" "$@"
  fi
  # tee is not to hide the status, see pipefail.
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
# Builds everything, and CI=true makes warnings errors.
step "tests" make test
step "release tests" make test-release-short
step "slow tests" make test-slow
step "type-check" make typecheck
step "public API and documentation" make check-api docs
step "thread sanitizer" make test-tsan-short
if command -v spin >/dev/null; then
  step "model" make verify-short
else
  printf '\n== model: skipped, spin is not installed\n'
fi
step "example" make example
step "getting started" make try
step "resolution" make check-resolution
step "portability" make portability
step "benchmarks, quick" make bench-quick
step "the benchmark's own tests" make test-bench

printf '\n== all passed in %d s\n' "$SECONDS"
