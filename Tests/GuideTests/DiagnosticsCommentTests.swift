import Foundation
import PromiseCombinators
import PromiseRecording
import TestSupport
import Testing

// Contains the snippets in the comments of Sources on descriptions, the register and the recorder, word for word.
// `Scripts/check-snippets.py` compares them.

private struct User {
  let name: String

  init(_ name: String) { self.name = name }
}

private struct Server {
  let answer = Deferred<String>()

  func load(_ id: Int) -> Promise<String> { answer.promise }
}

/// These snippets concern the whole process, in which other tests run. They are only compiled.
private enum ForTheWholeProcess {
  static func list() {
    Diagnostics.recordsPendingPromises = true
    // later
    print(Diagnostics.pending())
  }

  static func watch(log: @escaping @Sendable (String) -> Void) {
    Diagnostics.recordsPendingPromises = true
    let watch = Diagnostics.onPending(longerThan: .seconds(60)) { pending in log(pending.description) }
    watch.cancel()
  }

  static func record(to file: URL) throws {
    let recorder = Recorder()
    recorder.start()
    // … the part of the program that is of interest …
    let recording = recorder.stop()
    try recording.page(title: "Start of the shop").write(to: file, atomically: true, encoding: .utf8)
  }
}

@Suite("The comments on diagnostics")
struct DiagnosticsCommentTests {
  @Test("A description begins with the label, and the root of a pending promise is its owner")
  func labelAndRoots() {
    let (server, id) = (Server(), 1)
    let user = server.load(id).map(User.init).labelled("load user")
    print(user)  // Promise<User> "load user", pending, map at Shop/Server.swift:12
    #expect(user.debugDescription.hasPrefix(#"Promise<User> "load user", pending, map at "#))
    let answer = user
    for node in answer.waitsFor.flatMap(\.roots) { print(node.summary) }
    // its owner, made at Shop/Server.swift:40, which is alive and has not settled it
    #expect(answer.waitsFor.flatMap(\.roots).map(\.kind) == [.owner])
    user.cancel(upstream: true)
  }
}
