#!/usr/bin/env python3
"""Prints the identifier of a simulated device with the newest installed system.

    xcrun simctl list devices available --json | simulator iOS

The platform is iOS, tvOS, watchOS or visionOS. `--test` tests this script with a fixed list.
"""

import json
import re
import sys

# The names of the systems in Apple's tools.
SYSTEMS = {"iOS": "iOS", "tvOS": "tvOS", "watchOS": "watchOS", "visionOS": "xrOS"}


def device(listing, platform):
    """Returns the identifier of the first device with the newest system of the platform, or `None`."""
    newest, found = (), None
    for runtime, devices in listing["devices"].items():
        match = re.fullmatch(rf"com\.apple\.CoreSimulator\.SimRuntime\.{SYSTEMS[platform]}-(\d+(?:-\d+)*)", runtime)
        available = [device for device in devices if device.get("isAvailable", True)]
        if match and available:
            version = tuple(map(int, match[1].split("-")))
            if version > newest:
                newest, found = version, available[0]["udid"]
    return found


def test():
    def runtime(name, *devices):
        return {f"com.apple.CoreSimulator.SimRuntime.{name}": [dict(zip(("udid", "isAvailable"), d)) for d in devices]}

    listing = {
        "devices": runtime("iOS-18-6", ("old", True))
        | runtime("iOS-26-10", ("broken", False), ("newest", True), ("other", True))
        | runtime("iOS-26-9", ("older", True))
        | runtime("iOS-27-0", ("unavailable", False))
        | runtime("xrOS-26-1", ("headset", True))
    }
    assert device(listing, "iOS") == "newest"
    assert device(listing, "visionOS") == "headset"
    assert device(listing, "watchOS") is None


def main():
    if sys.argv[1:] == ["--test"]:
        return test()
    if len(sys.argv) != 2 or sys.argv[1] not in SYSTEMS:
        sys.exit(f"usage: simulator {' | '.join(SYSTEMS)}")
    found = device(json.load(sys.stdin), sys.argv[1])
    if not found:
        sys.exit(f"no simulated device for {sys.argv[1]} is installed")
    print(found)


main()
