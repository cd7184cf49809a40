#!/usr/bin/env bash
# Checks that every model holds, exhaustively, and that every broken variant of a model fails.
#
#   verify-models [--short] [model...]
#
# --short omits the broken variants of `settle`, the largest model. Checks two at a time. JOBS=1 in the environment
# checks one at a time. Exits with 0 if all is as expected, with 1 for a difference, and with 3 if a tool is missing.
set -uo pipefail
cd "$(dirname "$0")/../Tests/Verification/Models"

# fail <status> <message>: prints the message, and exits.
fail() {
  echo "$2" >&2
  exit "$1"
}

command -v spin >/dev/null || fail 3 "spin is missing: apt-get install spin  (macOS: brew install spin)"
# Without optimisation, clang, which is part of Swift's toolchain, takes half the time of gcc.
compiler=$(command -v clang || command -v cc) || fail 3 "a C compiler is missing: apt-get install gcc"

here=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/promise-model.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Prints nanoseconds. The date of macOS does not support %N, so there it prints whole seconds.
now() {
  local time
  time=$(date +%s%N)
  if [[ $time == *N ]]; then
    time=$(date +%s)000000000
  fi
  echo "$time"
}

# check <model> <variant>: checks the variant, and prints a row. The variant "-" is the model itself, which must hold.
check() {
  local model=$1
  local variant=$2
  local expected=holds
  local define=()
  local directory=$work/$model.$variant
  local note=
  local started seconds states result
  if [ "$variant" != - ]; then
    expected=fails
    define=("-D$variant")
  fi
  mkdir "$directory"
  cd "$directory" || exit 1
  started=$(now)
  if ! spin -a ${define[@]+"${define[@]}"} "$here/$model.pml" >spin.out 2>&1 || [ ! -f pan.c ]; then
    result=error
    note=$(grep -m1 Error spin.out)
  # Optimising a large model takes many times what it saves. -w hides warnings of gcc 12 to 14 about generated code.
  elif ! "$compiler" -O0 -w -DSAFETY -DNOFAIR -DMEMLIM=6000 -o pan pan.c >cc.out 2>&1; then
    result=error
    note=$(head -1 cc.out)
  else
    ./pan -b -m200000 >pan.out 2>&1
    if grep -q 'errors: 0' pan.out &&
      ! grep -qiE 'depth too small|reached memory|MEMLIM bound|not completed|too long' pan.out; then
      result=holds
    elif grep -qE '^pan:1: (assertion violated|invalid end state)' pan.out && ! grep -q 'depth exceeds' pan.out; then
      result=fails
      note=$(sed -n 's/^pan:1: //p' pan.out | head -1)
    else
      result=error
      note=$(grep -m1 -E 'pan:|error' pan.out)
    fi
  fi
  seconds=$(( ($(now) - started) / 10000000 ))
  states=$(awk '/states, stored/ { print $1; exit }' pan.out 2>/dev/null)
  if [ "$result" = "$expected" ]; then
    echo >>"$work/expected"
  else
    note="EXPECTED: $expected. $note"
  fi
  printf '%-11s %-34s %9s  %-5s %3d.%02d s  %s\n' \
    "$model" "${variant#BROKEN_}" "${states:--}" "$result" $((seconds / 100)) $((seconds % 100)) "${note:0:90}"
  rm -rf "$directory"
}

printf '%-11s %-34s %9s  %-5s %8s  %s\n' model variant states result time "what was violated"
short=
if [ "${1:-}" = --short ]; then
  short=1
  shift
fi
models=("$@")
[ $# -gt 0 ] || models=(*.pml)
checks=()
for model in "${models[@]}"; do
  model=$(basename "$model" .pml)
  [ -f "$model.pml" ] || fail 1 "there is no model $model"
  # Finds all variants in the model, so that none can be omitted here.
  for variant in - $(grep -hE '^#' "$model.pml" | grep -oE 'BROKEN_[A-Z_]+' | sort -u); do
    if [ "$short" ] && [ "$model" = settle ] && [ "$variant" != - ]; then
      continue
    fi
    checks+=("$model $variant")
  done
done

# Each job takes every n-th check, where n is the number of jobs.
jobs=${JOBS:-2}
for ((job = 0; job < jobs; job++)); do
  (
    for ((n = job; n < ${#checks[@]}; n += jobs)); do
      check ${checks[n]}
    done
  ) &
done
wait

differences=$((${#checks[@]} - $(wc -l <"$work/expected" 2>/dev/null || echo 0)))
if [ $differences -gt 0 ]; then
  echo "$differences of ${#checks[@]} not as expected"
  exit 1
fi
echo "all ${#checks[@]} as expected"
