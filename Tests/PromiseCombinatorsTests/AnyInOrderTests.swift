import PromiseCombinators
import TestSupport
import Testing

@Suite("The first value in the order of a list") struct AnyInOrderTests {
  private let world = TestWorld()

  /// Inputs with their result.
  private struct Inputs {
    let owners: [Deferred<Int>]
    let result: Promise<Int>

    init(_ count: Int, cancelsLosers: Bool = false) {
      owners = (0..<count).map { _ in Deferred<Int>() }
      result = Promise.any(inOrder: owners.map(\.promise), cancelsLosers: cancelsLosers)
    }
  }

  @Test("The result waits for the inputs before a value, and for none behind it")
  func order() {
    let inputs = Inputs(4)
    inputs.owners[2].fulfill(2)
    inputs.owners[3].fulfill(3)
    #expect(inputs.result.isPending)
    inputs.owners[1].reject(TestError(1))
    #expect(inputs.result.isPending)
    inputs.owners[0].reject(TestError(0))
    #expect(inputs.result.state.value == 2)

    let first = Inputs(3)
    first.owners[0].fulfill(0)
    #expect(first.result.state.value == 0)
    #expect(first.owners[2].promise.isPending)
  }

  @Test("The value is the same in whichever order the inputs are settled", .rule("4.8"))
  func everyOrder() throws {
    for fulfilled in [[], [0], [1], [2], [1, 2], [0, 2]] {
      let exploration = try TestWorld.exploreAll { world in
        let inputs = Inputs(3)
        for (number, owner) in inputs.owners.enumerated() {
          world.sometime("\(number)") {
            if fulfilled.contains(number) { owner.fulfill(number) } else { owner.reject(TestError(number)) }
          }
        }
        world.runUntilIdle()
        world.expect(inputs.result.state.value == fulfilled.first)
        world.expect(fulfilled.isEmpty == ((inputs.result.error as? PromiseError)?.code == .noneFulfilled))
      }
      #expect(exploration.scheduleCount >= 6)
    }
  }

  @Test("The inputs behind the winner are given up, or go on", .rule("4.8"), arguments: [false, true])
  func losers(_ cancels: Bool) {
    let inputs = Inputs(3, cancelsLosers: cancels)
    inputs.owners[1].fulfill(1)
    #expect(inputs.owners[2].promise.isPending)
    inputs.owners[0].reject(TestError(0))
    #expect(inputs.result.state.value == 1)
    #expect(inputs.owners[2].promise.isCancelled == cancels)
  }

  @Test("Without a value the error has all errors in the order of the list, and a cancellation passes", .rule("1.2"))
  func noValue() {
    let inputs = Inputs(2)
    inputs.owners[1].reject(TestError(1))
    inputs.owners[0].reject(TestError(0))
    guard case .noneFulfilled(let errors, _)? = inputs.result.error as? PromiseError else {
      Issue.record("an error that says that there is no value")
      return
    }
    #expect(errors.compactMap { ($0 as? TestError)?.number } == [0, 1])

    let cancelled = Inputs(2)
    cancelled.owners[0].promise.cancel(reason: TestError(0))
    cancelled.owners[1].promise.cancel(reason: TestError(1))
    #expect(cancelled.result.isCancelled)
    #expect(cancelled.result.failure == .test(1))
    #expect(Promise.any(inOrder: [Promise<Int>]()).error is PromiseError)
  }

  @Test("A promise may be an input several times, and inputs may be settled before the call")
  func repeated() {
    let first = Deferred<Int>()
    let second = Deferred<Int>()
    let result = Promise.any(inOrder: [first.promise, second.promise, first.promise, .fulfilled(7)])
    first.reject(TestError(0))
    #expect(result.isPending)
    second.reject(TestError(1))
    #expect(result.state.value == 7)
    #expect(Promise.any(inOrder: [.rejected(TestError(0)), .fulfilled(1), .fulfilled(2)]).state.value == 1)
  }

  @Test("The rejections before the winner are handled", .rule("7.1"))
  func handled() {
    let unhandled = Log<UnhandledRejection>()
    Diagnostics.scoped(unhandledRejection: unhandled.append) {
      _ = Promise.any(inOrder: [.rejected(TestError(0)), .fulfilled(1), .rejected(TestError(2))])
    }
    #expect(unhandled.entries.isEmpty)
  }

  @Test("The examples of the comment take the first value that is good enough")
  func examples() {
    struct Source: Sendable {
      let text: String?
      func page(_ url: String) -> Promise<String> { text.map { .fulfilled($0) } ?? .rejected(TestError()) }
    }
    world.run {
      let cache = Source(text: nil)
      let mirror = Source(text: "mirror")
      let server = Source(text: "server")
      let url = "x"
      let page = Promise.any(inOrder: [cache.page(url), mirror.page(url), server.page(url)], cancelsLosers: true)
      #expect(page.state.value == "mirror")
      let hosts: [Duration] = [.milliseconds(80), .milliseconds(20), .milliseconds(10)]
      @Sendable func ping(_ host: Duration) -> Promise<Duration> { .fulfilled(host) }
      let host = Promise.any(inOrder: hosts.map { host in ping(host).validate { $0 < .milliseconds(50) } })
      world.runUntilIdle()
      #expect(host.state.value == .milliseconds(20))
    }
  }
}
