#!/usr/bin/env bash
# Checks that a program that depends on a release of this package resolves no further package, and can use Google's
# package beside it. It takes no arguments, and fetches nothing from a network.
#
# Google's package is named `promises` and has a product `Promises`. SwiftPM identifies a package by the last component
# of its URL, and refuses two packages with the same identity. The packages are local Git repositories: a copy of this
# checkout and a stand-in for Google's package. Two targets of the stand-in have the names of test targets of this
# package. They must not collide, because test targets are in no product. SwiftPM also refuses unsafe flags in a release.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
swift=${SWIFT:-swift}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# TEST_TARGETS removes targets from a package, even from a dependency.
unset TEST_TARGETS

# publish <folder> <version>: turns the folder into a repository with that release.
publish() {
  local git=(git -C "$1" -c user.name=check -c user.email=check@localhost -c commit.gpgSign=false)
  "${git[@]}" init -q
  "${git[@]}" add -A
  "${git[@]}" commit -qm "Release $2"
  "${git[@]}" tag "$2"
}

theirs=$folder/promises
for module in Promises TestSupport LoopbackServer; do
  mkdir -p "$theirs/Sources/$module"
  printf 'public func nameOf%s() -> String { "%s" }\n' "$module" "$module" >"$theirs/Sources/$module/$module.swift"
done
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

# Copies every file that a commit of all changes would contain. In a container, another user often owns the files, which
# Git would refuse.
ours=$folder/swift-promises
mkdir "$ours"
(cd "$root" && git -c safe.directory="$root" ls-files -z --cached --others --exclude-standard |
  while IFS= read -rd '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done) |
  tar -C "$root" --null -T - -cf - | tar -C "$ours" -xf -
publish "$ours" 0.9.0

program=$folder/program
mkdir -p "$program/Sources/program"
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
      dependencies: [
        .product(name: "PromiseCore", package: "swift-promises"), .product(name: "Promises", package: "promises"),
      ])
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

options=(--package-path "$program" --cache-path "$folder/cache")
"$swift" build --quiet "${options[@]}"
printed=$("$("$swift" build --show-bin-path "${options[@]}")/program")
if [ "$printed" != "PromiseCore beside Promises" ]; then
  printf '%s: the program printed "%s"\n' "$0" "$printed" >&2
  exit 1
fi
packages=$(grep -c '"identity"' "$program/Package.resolved")
if [ "$packages" -ne 2 ]; then
  printf '%s: the program depends on two packages, but %s were resolved\n' "$0" "$packages" >&2
  exit 1
fi
echo "swift-promises and promises resolve, build and run in one program"
