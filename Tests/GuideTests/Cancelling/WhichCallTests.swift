import Foundation
import PromiseCombinators
import TestSupport
import Testing

private struct OutOfService: Error {}

private final class Connection: Sendable {
  private let closed = Locked(false)
  var isClosed: Bool { closed.withLock { $0 } }
  func close() { closed.withLock { $0 = true } }
}

private enum Guide {
  typealias Server = GuideServer

  final class WeatherScreen: CancelBagOwner, Sendable {
    let cancelBag = CancelBag()
    let text = Log<String>()

    func load(from server: Server) {
      server.page("weather")
        .map { page in "Today: \(page)" }
        .bound(to: self)
        .onFulfilled { [weak self] line in self?.text.append(line) }
    }
  }
}

private func handOut(_ work: Deferred<String>) -> Promise<String> {
  return work.promise.shielded()
}

/// Tests each line of the table "Which call do I want?" of Docs/Guides/Cancellation.md.
@Suite("The guide to cancellation: table of calls")
struct WhichCallTests {
  private let work = Deferred<String>()
  private let connection = Connection()
  private var shared: Promise<String> { work.promise }
  private var isStopped: Bool { connection.isClosed }

  init() {
    work.onCancel(on: .atOnce) { [connection] _ in connection.close() }
  }

  @Test("cancel() gives up the result and leaves the work running", .rule("4.2", "4.4"))
  func result() {
    let best = shared.map { $0 }
    best.cancel()
    #expect(best.isCancelled && !isStopped)
  }

  @Test("cancel(upstream: true) stops the work", .rule("4.4"))
  func upstream() {
    let best = shared.map { $0 }.map { $0 }
    best.cancel(upstream: true)
    #expect(isStopped)
  }

  @Test("A client that gives up its own share does not affect other clients", .rule("4.4"))
  func share() {
    let other = shared.map { $0 }
    let mine = shared.map { $0 }
    mine.cancel(upstream: true)
    #expect(mine.isCancelled && other.isPending && !isStopped)
  }

  @Test("A cancellation of the shared promise stops the work for all clients", .rule("4.2"))
  func all() {
    let other = shared.map { $0 }
    shared.cancel(upstream: true)
    #expect(other.isCancelled && isStopped)
  }

  @Test("A client cannot stop work whose promise was handed out shielded", .rule("4.10"))
  func shielded() {
    let best = handOut(work)
    best.cancel(upstream: true)
    #expect(best.isCancelled && !isStopped)
  }

  @Test(
    "A cancelled Task stops the awaited work only if it passes cancelsSource: true", .rule("4.7"),
    arguments: [false, true])
  func task(_ givesUp: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let best = shared.map { $0 }
      let waiting = Promise.task { [shared] in
        givesUp ? try await best.value(cancelsSource: true) : try await shared.value
      }
      world.runUntilIdle()
      waiting.cancel()
      world.runUntilIdle()
      #expect(waiting.isCancelled && isStopped == givesUp && best.isCancelled == givesUp)
      work.fulfill("sun")
    }
  }

  @Test("A screen that is deallocated stops its work", .rule("4.6"))
  func screen() throws {
    try TestWorld.run(checking: .running) { world in
      let server = GuideServer()
      var screen: Guide.WeatherScreen? = Guide.WeatherScreen()
      let text = screen?.text
      screen?.load(from: server)
      server.answer("weather", with: .success("sun"))
      world.runUntilIdle()
      #expect(text?.entries == ["Today: sun"])

      screen?.load(from: server)
      screen = nil
      world.runUntilIdle()
      #expect(server.stopped == ["weather"])
    }
  }

  @Test("A timeout stops work that takes too long", .rule("4.6"))
  func late() throws {
    try TestWorld.run(checking: .running) { world in
      let best = shared.map { $0 }
      let inTime = best.timeout(.seconds(5))
      world.advance(by: .milliseconds(4_999))
      #expect(inTime.isPending && !isStopped)
      world.advance(by: .milliseconds(1))
      #expect(name(of: inTime.errorNow) == "timedOut" && isStopped)
    }
  }

  @Test("The owner cleans up in an onEnd hook when its promise is fulfilled", .rule("4.5"))
  func end() throws {
    try TestWorld.run(checking: .running) { world in
      let work = Deferred<String>()
      work.onEnd { _ in connection.close() }
      work.fulfill("sun")
      world.runUntilIdle()
      #expect(isStopped)
    }
  }

  @Test("A rejection by the owner does not run its onCancel hook", .rule("4.5"))
  func owner() {
    let work = Deferred<String>()
    work.onCancel { _ in connection.close() }
    work.reject(OutOfService())
    #expect(work.promise.errorNow is OutOfService && !isStopped)
  }

  private func compiled(_ best: Promise<String>, _ screen: Guide.WeatherScreen) {
    best.bound(to: screen)
  }

  @Test("Every call in the table occurs in this file")
  func isDocumented() throws {
    let code = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
      .split(separator: "\n").map { $0.split(separator: "//").first.map(String.init) ?? "" }
    let rows = try GuideDocument("Guides/Cancellation").table("calls")
    #expect(rows.count == 12)
    for span in rows.flatMap({ GuideDocument.spans(of: $0[1]) }) {
      #expect(code.contains { $0.contains(span) }, "not in this file: \(span)")
    }
  }
}
