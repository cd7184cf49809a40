#!/usr/bin/env bash
# Which lines of the library no test runs: make coverage, or Scripts/coverage.sh <filter> for these tests alone. Writes .build/coverage/lines.txt: each
# module, and each line that was not run. Fails if a test does, if a line has no excuse in Tests/uncovered.txt, or an excuse no line; with a
# filter, only if a test does, or an excuse is about no line at all. Make hands over the filters by which it takes the suites apart.
set -euo pipefail
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift} folder=.build/coverage status=0
options=(--enable-code-coverage --scratch-path "$folder")
if [ $# -eq 0 ]; then : "${STRESS:?not set: make coverage}" "${REQUESTS:?not set: make coverage}"; fi

"$swift" build --build-tests "${options[@]}"
bin=$("$swift" build --show-bin-path "${options[@]}")
rm -rf "$folder/profiles"
mkdir -p "$folder/profiles"

# part <option for swift test>...: runs these tests, and keeps their profiles, which the next run would remove.
part() {
  "$swift" test --skip-build "${options[@]}" "$@" || status=$?
  mv "$bin"/codecov/*.profraw "$folder/profiles"
}
if [ $# -gt 0 ]; then
  part --filter "$1"
else
  # In parts, as `make test-all` runs them: what races, or turns diagnostics on and off, would change what others see.
  part --skip "$STRESS" --skip "$REQUESTS"
  part --filter "$REQUESTS"
  part --filter "$STRESS"
fi

# The toolchain's own: the format of the profile changes from one compiler to the next.
tools=$(dirname "$(command -v "$swift")")
if [ -x "$tools/llvm-cov" ]; then tools+=/; else tools="xcrun "; fi
${tools}llvm-profdata merge -sparse "$folder"/profiles/*.profraw -o "$folder/all.profdata"
binaries=("$bin"/*.xctest)
if [ -d "${binaries[0]}" ]; then binaries=("${binaries[@]/%//Contents/MacOS/PromisesPackageTests}"); fi
${tools}llvm-cov export -format=lcov -instr-profile "$folder/all.profdata" "${binaries[0]}" Sources >"$folder/lines.lcov"
Scripts/uncovered.py ${1:+--part} <"$folder/lines.lcov" >"$folder/lines.txt" || status=$?
sed -n '/^$/q;p' "$folder/lines.txt"
exit "$status"
