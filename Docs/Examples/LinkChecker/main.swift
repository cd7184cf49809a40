// link-checker <address>
// link-checker --demo
//
// Checks all links of a site, and prints those that are broken. It sends few requests at a time, and few in a second to each host.
// A request that fails for a reason that may pass is tried again. Start reading in `LinkChecker.swift`.
//
// On a terminal it shows how far it is. Ctrl-C stops all requests, and what was found until then is printed. A second Ctrl-C ends the
// program at once. --demo checks a small site that the program serves itself.
//
// Exit codes: 0 all links work, 1 some are broken, 2 there is nothing to check, 130 stopped by Ctrl-C.

import Foundation
import PromiseCombinators
import PromiseFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("link-checker: \(message)\n".utf8))
  exit(2)
}

guard CommandLine.arguments.count == 2 else {
  fail("which site? usage: link-checker <address>, or link-checker --demo")
}
let demo = CommandLine.arguments[1] == "--demo" ? try DemoSite() : nil
let address = demo?.address ?? CommandLine.arguments[1]
guard let start = Page.address(address) else { fail("'\(address)' is not the address of a site") }

let session = URLSession(configuration: .ephemeral)
let checker = LinkChecker(start: start) { url in session.page(at: url) }
let bar = ProgressBar()
let summary = checker.run()

Promise.signal(SIGINT).onFulfilled(on: .main) { _ in
  // A request that fails at this very moment has no handler for its error any more. That is no mistake of the program.
  Diagnostics.printsUnhandledRejections = false
  summary.cancel(upstream: true)
}

summary
  .onProgress(on: .main) { fraction in bar.show(fraction, checker.summarySoFar) }
  .onFulfilled(on: .main) { summary in
    bar.clear()
    print(summary)
    exit(summary.broken.isEmpty ? 0 : 1)
  }
  .onRejected(on: .main) { _ in
    // Only Ctrl-C rejects it, because a broken link is part of the summary.
    bar.clear()
    print("stopped; until then: \(checker.summarySoFar)")
    exit(130)
  }

// The main thread now runs what is sent to `.main`.
dispatchMain()
