// link-checker <address> [--record FILE]
// link-checker --demo [--record FILE]
//
// Checks all links of a site, and prints those that are broken. It limits how many requests run at a time, and how many
// requests to one host begin in a second. A request that fails for a reason that may pass is tried again. Start reading
// in `LinkChecker.swift`.
//
// On a terminal it shows its progress. Ctrl-C stops all requests, and the program prints what it has found so far. A
// second Ctrl-C ends the program at once. --demo checks a small site that the program serves itself.
//
// --record FILE records the promises of the program. FILE becomes a page for a browser if its name ends in .html,
// otherwise a trace for ui.perfetto.dev.
//
// Exit codes: 0 all links work, 1 some are broken, 2 there is nothing to check or the recording cannot be written, 130
// stopped by Ctrl-C.

import Foundation
import PromiseCombinators
import PromiseHTTP
import PromiseProcesses
import RunRecording

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("link-checker: \(message)\n".utf8))
  exit(2)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 1 || arguments.count == 3 && arguments[1] == "--record" else {
  fail("which site? usage: link-checker <address> [--record FILE], or link-checker --demo [--record FILE]")
}
let demo = arguments[0] == "--demo" ? try DemoSite() : nil
let address = demo?.address ?? arguments[0]
guard let start = Page.address(address) else { fail("'\(address)' is not the address of a site") }

let recording: RunRecording?
do {
  recording = arguments.count == 3 ? try RunRecording(to: arguments[2]) : nil
} catch {
  fail("\(error)")
}

let session = URLSession(configuration: .ephemeral)
let checker = LinkChecker(start: start) { url in session.page(at: url) }
let bar = ProgressBar()
// Made before the work begins, so that no Ctrl-C ends the program without its findings.
let interrupt = Promise.signal(SIGINT)
let summary = checker.run()

@MainActor
func end(_ text: String, status: Int32) -> Never {
  bar.clear()
  // Before the recording, which may fail.
  print(text)
  do {
    try recording?.end(title: demo == nil ? "Links of \(address)" : "Links of the demo")
  } catch {
    fail("\(error)")
  }
  exit(status)
}

interrupt.onFulfilled(on: .main) { _ in
  // If a request fails at this moment, no handler is left for its error. That is no mistake of the program.
  Diagnostics.printsUnhandledRejections = false
  summary.cancel(upstream: true)
}

summary
  .onProgress(on: .main) { fraction in bar.show(fraction, checker.summarySoFar) }
  .onFulfilled(on: .main) { summary in end("\(summary)", status: summary.broken.isEmpty ? 0 : 1) }
  // Only Ctrl-C rejects the promise, because a broken link is part of the summary.
  .onRejected(on: .main) { _ in end("stopped; until then: \(checker.summarySoFar)", status: 130) }

// The main thread now runs what is sent to `.main`.
dispatchMain()
