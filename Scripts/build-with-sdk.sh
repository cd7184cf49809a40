#!/usr/bin/env bash
# Builds the library for another system with a Swift SDK of swift.org, and runs nothing. Downloads the SDK into
# .build/sdks, and for Android also the NDK. An SDK fits exactly one compiler, so the versions must match.
#
#   build-with-sdk static-linux | wasm | android
set -euo pipefail
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
version=6.3.1
ndk=android-ndk-r27d

case ${1-} in
  static-linux)
    bundle=static-linux-0.1.0 folder=static-sdk sdk=$(uname -m)-swift-linux-musl
    checksum=fac05271c1f7d060bd203240ce5251d5ca902d30ac899f553765dbb3a88b97ad
    targets=(PromiseCombinators PromiseFoundation PromiseTesting)
    ;;
  wasm)
    bundle=wasm folder=wasm-sdk sdk=swift-${version}-RELEASE_wasm
    checksum=bd47baa20771f366d8beed7970afaa30742b2210097afd15f85427226d8f4cf2
    # The other modules need Dispatch, which this SDK does not contain.
    targets=(PromiseCore)
    ;;
  android)
    bundle=android folder=android-sdk sdk=aarch64-unknown-linux-android28
    checksum=8193a4e96538635131a154736c8896fba0e5a1c30e065524f00ed78719bac35a
    targets=(PromiseCombinators PromiseFoundation PromiseTesting)
    ;;
  *)
    sed -n 's/^#   //p' "$0" >&2
    exit 2
    ;;
esac

if ! "$swift" --version 2>&1 | grep -qF "(swift-$version-RELEASE)"; then
  printf '%s: needs the toolchain of Swift %s from swift.org, for which the SDK was made\n' "$0" "$version" >&2
  exit 1
fi

sdks=$PWD/.build/sdks
name=swift-${version}-RELEASE_${bundle}
if [ ! -d "$sdks/$name.artifactbundle" ]; then
  "$swift" sdk install --swift-sdks-path "$sdks" --checksum "$checksum" \
    "https://download.swift.org/swift-$version-release/$folder/swift-$version-RELEASE/$name.artifactbundle.tar.gz"
fi
if [ "$1" = android ] && [ ! -d "$sdks/$ndk" ]; then
  curl --fail --location --silent --show-error --output "$sdks/ndk.zip" \
    "https://dl.google.com/android/repository/$ndk-$(uname -s | tr '[:upper:]' '[:lower:]').zip"
  unzip -q "$sdks/ndk.zip" -d "$sdks"
  rm "$sdks/ndk.zip"
  ANDROID_NDK_HOME=$sdks/$ndk "$sdks/$name.artifactbundle/swift-android/scripts/setup-android-sdk.sh"
fi

for target in "${targets[@]}"; do
  "$swift" build --swift-sdks-path "$sdks" --swift-sdk "$sdk" --scratch-path ".build/$1" --target "$target"
done
