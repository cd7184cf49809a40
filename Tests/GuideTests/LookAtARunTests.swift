import Foundation
import PromiseCombinators
import PromiseProcesses
import PromiseRecording
import Synchronization
import TestSupport
import Testing

// Contains the snippets of Docs/Guides/LookAtARun.md and Docs/Recipes/WhyIsItPending.md, word for word.
// `Scripts/check-snippets.py` compares them. The programs of the table of the recipe are in HungProgramTests.

private enum Guide {
  final class Shop: Sendable {
    private let answers = Mutex<[String: Deferred<String>]>([:])

    func get(_ path: String) -> Promise<String> {
      let answer = Deferred<String>(label: "GET \(path)")
      answers.withLock { $0[path] = answer }
      return answer.promise
    }

    func receive(_ text: String, for path: String) {
      answers.withLock { $0[path] }?.fulfill(text)
    }
  }
}

func printPendingPromises(on number: Int32) throws {
  let signals = try ProcessSignals(number)
  Task {
    for await _ in signals { FileHandle.standardError.write(Data("\(Diagnostics.pending())\n".utf8)) }
  }
}

/// These parts of the guide concern the whole process, in which other tests run. They are only compiled.
private func forTheWholeProcess(log: @escaping @Sendable (String) -> Void) throws {
  Diagnostics.recordsPendingPromises = true
  try printPendingPromises(on: SIGUSR1)

  let watch = Diagnostics.onPending(longerThan: .seconds(60)) { pending in log(pending.description) }
  watch.cancel()

  let recorder = Recorder()
  recorder.start()
  // … the part of the program that is of interest …
  let recording = recorder.stop()
  try recording.page(title: "The front page").write(toFile: "run.html", atomically: true, encoding: .utf8)
  try recording.trace.write(toFile: "run.json", atomically: true, encoding: .utf8)
}

// The snippets in the comments of Sources on descriptions, the register and the recorder.

private struct User {
  let name: String

  init(_ name: String) { self.name = name }
}

private struct Server {
  let answer = Deferred<String>()

  func load(_ id: Int) -> Promise<String> { answer.promise }
}

// These functions concern the whole process, in which other tests run. They are only compiled.

private func listPending() {
  Diagnostics.recordsPendingPromises = true
  // later
  print(Diagnostics.pending())
}

private func listCauses() {
  Diagnostics.recordsPendingPromises = true
  // later
  print(Diagnostics.causes())
}

private func watchPending(log: @escaping @Sendable (String) -> Void) {
  Diagnostics.recordsPendingPromises = true
  let watch = Diagnostics.onPending(longerThan: .seconds(60)) { pending in log(pending.description) }
  watch.cancel()
}

private func recordStart(to file: URL) throws {
  let recorder = Recorder()
  recorder.start()
  // … the part of the program that is of interest …
  let recording = recorder.stop()
  try recording.page(title: "Start of the shop").write(to: file, atomically: true, encoding: .utf8)
}

@Suite("The guide to looking at a run") struct LookAtARunTests {
  private typealias Shop = Guide.Shop

  /// The text of the guide, in which N replaces the creation site of each promise.
  private let guide: String

  init() throws {
    let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let text = try String(contentsOf: root.appending(path: "Docs/Guides/LookAtARun.md"), encoding: .utf8)
    guide = text.replacing(#/Shop/\w+\.swift:\d+/#, with: "N")
  }

  private func isInGuide(_ output: String) -> Bool {
    let lines = output.replacing(#/GuideTests/LookAtARunTests\.swift:\d+/#, with: "N").split(separator: "\n")
    return guide.contains(lines.joined(separator: "\n"))
  }

  @Test("A printed promise has the output that the guide shows", .bounded)
  func printed() {
    let shop = Shop()
    let page = Promise.all(shop.get("/user"), shop.get("/cart"))
      .map { user, cart in "\(user) has \(cart)" }
      .labeled("front page")
    page.onFulfilled(on: .main) { print($0) }

    shop.receive("Ada", for: "/user")
    print(page)
    #expect(isInGuide(page.debugDescription), "\(page.debugDescription)")

    print(page.causes)
    for cause in page.causes {
      print(cause.label ?? "no label", "–", cause.promiseCount)
    }
    let cause = page.causes.first
    #expect(cause?.kind == .owner)
    #expect(isInGuide("\(page.causes)\n\(cause?.label ?? "no label") – \(cause?.promiseCount ?? 0)"))
    page.cancel(upstream: true)
  }

  @Test("A program that prints its pending promises on a signal survives any number of signals", .bounded)
  func signals() async {
    // This test runs in a process of its own, because the former action of the signal ends the process.
    await #expect(processExitsWith: .success) {
      try printPendingPromises(on: SIGUSR1)
      for _ in 0..<2_000 {
        kill(getpid(), SIGUSR1)
        await Task.yield()
      }
      exit(EXIT_SUCCESS)
    }
  }

  @Test("A recorder of one part of a program records the promises of that part, and values only on request")
  func recordedPart() async throws {
    let shop = Shop()
    let recorder = Recorder(capacity: 10_000, describesValues: true)
    let page = recorder.record {
      Promise.all(shop.get("/user"), shop.get("/cart")).labeled("front page")
    }
    let secret = Recorder()
    let other = secret.record { Promise.run { "secret" } }
    _ = try await other.value
    #expect(!secret.recording.trace.contains(#""text":"secret""#))
    shop.receive("Ada", for: "/user")
    shop.receive("3 books", for: "/cart")
    _ = try await page.value
    let recording = recorder.recording
    #expect(recording.droppedCount == 0)
    for text in [recording.trace, recording.page(title: "Part")] {
      for part in ["front page", "GET /cart", "3 books"] { #expect(text.contains(part)) }
    }
  }

  @Test("Causes are encoded as JSON, with the site as text and without what is not known")
  func encodedCauses() throws {
    let owner = Deferred<Int>(label: "answer", fileID: "M/F", line: 7)
    let page = owner.promise
    let json = String(decoding: try JSONEncoder().encode(page.causes), as: UTF8.self)
    for part in [#""createdAt":"M\/F:7""#, #""kind":"owner""#, #""label":"answer""#, #""promiseCount":1"#] {
      #expect(json.contains(part), "\(json)")
    }
    #expect(json.contains(#""isComplete":true"#))
    #expect(json.contains(#""omittedCount":0"#))
    #expect(!json.contains("ageInSeconds"))
    owner.fulfill(1)
  }

  @Test("The last line of a printed promise is its cause")
  func lastLine() {
    let context = ManualContext()
    let page = Promise.fulfilled(1).map(on: context) { $0 }.map(on: context) { $0 }
    print(page)  // the promise that should have been settled
    print(page.causes)  // the causes alone, each once
    let causes = page.causes.map(\.summary)
    #expect(causes.count == 1 && page.debugDescription.hasSuffix("waits for \(causes.first ?? "none")"))
    #expect(causes.first?.contains("which is queued") == true)
    // A release build does not know the context.
    #if DEBUG
      #expect(causes.first?.hasSuffix("which is queued on a ManualContext") == true)
    #endif
    context.runUntilIdle()
    #expect(page.waitsFor.isEmpty)
  }

  @Test("A description begins with the label, and the cause of a pending promise is its owner")
  func labelAndCauses() {
    let server = Server()
    let id = 1
    let user = server.load(id).map(User.init).labeled("load user")
    print(user)  // Promise<User> "load user", pending, map at Shop/Server.swift:12
    #expect(user.debugDescription.hasPrefix(#"Promise<User> "load user", pending, map at "#))
    let answer = user
    print(answer.causes)
    // cause: the owner of Promise<String> made at Shop/Server.swift:40, which is alive and has not settled it; 2 promises wait for it
    for node in answer.waitsFor { print(node) }
    // waits for Promise<String>, Shop/Server.swift:40
    //   waits for its owner, made at Shop/Server.swift:40, which is alive and has not settled it
    #expect(answer.causes.map(\.kind) == [.owner])
    user.cancel(upstream: true)
  }
}
