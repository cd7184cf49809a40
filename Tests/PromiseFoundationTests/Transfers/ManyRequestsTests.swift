import Foundation
import LoopbackServer
import PromiseCombinators
import PromiseFoundation
import TestSupport
import Testing

@Suite("Many requests at once", .bounded)
struct ManyRequestsTests {
  @Test("A hundred concurrent requests each get their own response, and their connections end")
  func answered() async throws {
    let (closed, all) = (Locked(0), Deferred<Void>())
    let exchange = try Exchange(connections: 100) { request in
      // The client closes the connection after it has received the body, so no descriptor stays open.
      Response(
        pieces: [.text(request.bodyText), .untilGone, .call { if closed.increment() == 100 { all.fulfill() } }])
    }
    let promises = try (0..<100).map { number in
      try exchange.session.promise(for: exchange.request(method: "POST"), uploading: Data("\(number)".utf8))
        .map(on: .pool) { String(decoding: $0.0, as: UTF8.self) }
    }
    #expect(try await Promise<[String]>.all(promises).value == (0..<100).map { "\($0)" })
    try await all.promise.value
  }

  @Test("A hundred concurrent downloads each get their own file")
  func downloads() async throws {
    let exchange = try Exchange { .bytes(pattern(10_000, from: Int($0.target.dropFirst()) ?? 0)) }
    let promises = try (0..<100).map { try exchange.download("/\($0)", to: "\($0)") }
    _ = try await Promise<[URLResponse]>.all(promises).value
    for number in 0..<100 { #expect(try exchange.folder.bytes(of: "\(number)") == pattern(10_000, from: number)) }
    #expect(try exchange.folder.names.count == 100)
  }

  /// The fate of a request. The server cuts multiples of five, and the test cancels all other multiples of three.
  private enum Fate {
    case answered, cancelled, cut

    init(_ number: Int) { self = number.isMultiple(of: 5) ? .cut : number.isMultiple(of: 3) ? .cancelled : .answered }
  }

  @Test(
    "If some of a hundred requests are cancelled or cut in the middle, all others get their responses", .rule("4.1")
  )
  func mixed() async throws {
    let (cancelling, gone) = (Locked(0), Locked(0))
    let (reached, closed) = (Deferred<Void>(), Deferred<Void>())
    let count = (0..<100).count { Fate($0) == .cancelled }
    let exchange = try Exchange(connections: 100) { request in
      let half = Piece.bytes(pattern(5_000))
      return switch Fate(Int(request.target.dropFirst()) ?? 0) {
      case .answered: Response(pieces: [half, half])
      case .cut: Response(pieces: [half, .cut], framing: .length(10_000))
      case .cancelled:
        Response(
          pieces: [
            half, .call { if cancelling.increment() == count { reached.fulfill() } }, .untilGone,
            .call { if gone.increment() == count { closed.fulfill() } },
          ], framing: .length(10_000))
      }
    }
    let (reports, session) = (Log<SecondSettlement>(), exchange.session)
    let requests = try (0..<100).map { try exchange.request("/\($0)") }
    let promises = Diagnostics.scoped(secondSettlement: reports.append) {
      requests.map { session.promise(for: $0) }
    }
    try await reached.promise.value
    for (number, promise) in promises.enumerated() where Fate(number) == .cancelled { promise.cancel() }
    try await closed.promise.value
    let results = try await Promise.allSettled(promises).value
    for (number, result) in results.enumerated() {
      switch (Fate(number), result) {
      case (.answered, .success(let (data, _))): #expect(Array(data) == pattern(5_000) + pattern(5_000))
      case (.cut, .failure(let error)): #expect(error is URLError)
      case (.cancelled, .failure(let error)): #expect(error is CancellationError)
      default: Issue.record("request \(number): \(result)")
      }
    }
    #expect(promises.allSatisfy { !$0.isPending })
    #expect(reports.entries.isEmpty)
  }
}
