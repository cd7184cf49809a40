#!/usr/bin/env bash
# Checks that a program can use this package together with Google's, which is named `promises` and has a product
# `Promises`. SwiftPM identifies a package by the last component of its URL or path, and refuses two packages with the
# same identity.
#
# The packages are local Git repositories: a copy of this checkout and a stand-in for Google's package. The script
# fetches nothing from a network. Two targets of the stand-in have the names of test targets of this package. They must
# not collide, because test targets are in no product.
#
#   check-resolution         uses the name in Package.swift, and checks that SwiftPM refuses the name `promises`
#   check-resolution NAME    only uses this name for our repository
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
swift=${SWIFT:-swift}
declared=$(sed -n 's/^  name: "\(.*\)",$/\1/p' "$root/Package.swift")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# TEST_TARGETS removes targets from a package, even from a dependency.
unset TEST_TARGETS

git_in() { git -C "$1" -c user.name=check -c user.email=check@localhost -c commit.gpgSign=false "${@:2}"; }

# publish <folder> <version>: turns the folder into a repository with that release.
publish() {
  git_in "$1" init -q
  git_in "$1" add -A
  git_in "$1" commit -qm "Release $2"
  git_in "$1" tag "$2"
}

# target <folder> <module>: writes a target with one function.
target() {
  mkdir -p "$1/Sources/$2"
  printf 'public func nameOf%s() -> String { "%s" }\n' "$2" "$2" >"$1/Sources/$2/$2.swift"
}

theirs=$folder/theirs/promises
target "$theirs" Promises
target "$theirs" TestSupport
target "$theirs" LoopbackServer
cat >"$theirs/Package.swift" <<'MANIFEST'
// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "Promises",
  products: [.library(name: "Promises", targets: ["Promises"])],
  targets: [
    .target(name: "TestSupport"), .target(name: "LoopbackServer"),
    .target(name: "Promises", dependencies: ["TestSupport", "LoopbackServer"]),
  ]
)
MANIFEST
publish "$theirs" 2.4.0

# client <name>: writes a program that depends on the stand-in and on this package, whose repository has that name.
client() {
  local ours=$folder/ours-$1/$1
  program=$folder/program-$1
  mkdir -p "$ours" "$program/Sources/program"
  # Copies every file that a commit of all changes would contain. In a container, another user often owns the files,
  # which Git would refuse.
  (cd "$root" && git -c safe.directory="$root" ls-files -z --cached --others --exclude-standard |
    while IFS= read -rd '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done) |
    tar -C "$root" --null -T - -cf - | tar -C "$ours" -xf -
  publish "$ours" 0.9.0
  cat >"$program/Package.swift" <<MANIFEST
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "program",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "file://$ours", from: "0.9.0"), .package(url: "file://$theirs", from: "2.4.0")],
  targets: [
    .executableTarget(
      name: "program",
      dependencies: [.product(name: "PromiseCore", package: "$1"), .product(name: "Promises", package: "promises")])
  ]
)
MANIFEST
  cat >"$program/Sources/program/main.swift" <<'PROGRAM'
import PromiseCore
import Promises

let name = Deferred<String>()
let text = name.promise.asyncMap { "PromiseCore beside \($0)" }
name.fulfill(nameOfPromises())
print(try await text.value)
PROGRAM
}

swift_package() { "$swift" "$@" --package-path "$program" --cache-path "$folder/cache"; }

client "${1:-$declared}"
swift_package package resolve
swift_package build --quiet
printed=$("$(swift_package build --show-bin-path)/program")
if [ "$printed" != "PromiseCore beside Promises" ]; then
  printf '%s: the program printed "%s"\n' "$0" "$printed" >&2
  exit 1
fi
printf '%s and promises resolve, build and run in one program\n' "${1:-$declared}"
[ $# -eq 0 ] || exit 0

client promises
if output=$(swift_package package resolve 2>&1); then
  printf '%s: SwiftPM accepts two packages with the identity "promises", so this check shows nothing\n' "$0" >&2
  exit 1
fi
printf 'refused, as expected, if this package is called promises too: %s\n' "$(grep -m1 'error' <<<"$output")"
