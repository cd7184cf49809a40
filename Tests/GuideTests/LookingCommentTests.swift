import Foundation
import PromiseCombinators
import PromiseRecording
import TestSupport
import Testing

// The snippets of the documentation comments of labels, waits, the register and the recorder.
@Suite("Comments on looking at a run", .serialized)
struct LookingCommentTests {
  private struct User: Sendable {
    init(_ name: String) {}
  }

  private struct Server: Sendable {
    let answer = Deferred<String>()
    func load(_ id: Int) -> Promise<String> { answer.promise }
  }

  private let (server, id) = (Server(), 1)

  @Test("labelled")
  func label() {
    let user = server.load(id).map(User.init).labelled("load user")
    print(user)  // Promise<User> "load user", pending, map at Shop/Server.swift:12
    #expect(user.debugDescription.hasPrefix("Promise<User> \"load user\", pending, map at "))
    user.cancel()
  }

  @Test("waitsFor")
  func waits() {
    let answer = server.load(id).asVoid()
    for node in answer.waitsFor.flatMap(\.roots) { print(node) }
    // its owner, made at Shop/Server.swift:40, which is alive and has not settled it
    #expect(answer.waitsFor.flatMap(\.roots).map(\.kind) == [.owner])
    answer.cancel()
  }

  @Test("The register")
  func register() {
    defer { Diagnostics.recordsPendingPromises = false }
    Diagnostics.recordsPendingPromises = true
    // later
    print(Diagnostics.pending())
  }

  @Test("The watch")
  func watch() {
    @Sendable func log(_ text: String) {}
    defer { Diagnostics.recordsPendingPromises = false }
    Diagnostics.recordsPendingPromises = true
    let watch = Diagnostics.onPending(longerThan: .seconds(60)) { pending in log(pending.description) }
    watch.cancel()
  }

  @Test("The recorder")
  func recorder() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).html")
    defer { try? FileManager.default.removeItem(at: file) }
    let recorder = Recorder()
    recorder.start()
    // … the part of the program that is of interest …
    let recording = recorder.stop()
    try recording.page(title: "Start of the shop").write(to: file, atomically: true, encoding: .utf8)
  }
}
