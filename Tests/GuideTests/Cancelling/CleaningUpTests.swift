import Foundation
import PromiseCombinators
import TestSupport
import Testing

// Contains the snippets under "Resources" in Docs/Guides/Cancellation.md, word for word. `Scripts/check-snippets.py` compares them.

/// A file whose operations a test ends.
private final class File: Sendable {
  let reading = Deferred<String>()
  let closing = Deferred<Void>()
  let log = Log<String>()

  init() {
    reading.onCancel { [log] _ in log.append("reading was stopped") }
    closing.onCancel { [log] _ in log.append("closing was stopped") }
  }

  func read() -> Promise<String> { reading.promise }

  func close() -> Promise<Void> {
    log.append("close")
    return closing.promise
  }

  /// Fulfils the operations that are still pending.
  func end() {
    if reading.promise.isPending { reading.fulfill("text") }
    if closing.promise.isPending { closing.fulfill() }
  }
}

private struct Wrong {
  func contents(of file: File) -> Promise<String> {
    file.read().then(
      fulfilled: { text in file.close().map { text } },
      rejected: { error in file.close().map { throw error } })
  }
}

private struct Right {
  func contents(of file: File) -> Promise<String> {
    file.read().alwaysThen { _ in file.close() }
  }
}

/// A pool of one connection, whose operations a test ends.
private final class Pool: Sendable {
  struct Connection: Sendable {
    let pool: Pool

    func query(_ text: String) -> Promise<[String]> { pool.querying.promise }
  }

  let connecting = Deferred<Void>()
  let querying = Deferred<[String]>()
  let takingBack = Deferred<Void>()
  let log = Log<String>()

  init() { querying.onCancel { [log] _ in log.append("the query was stopped") } }

  func connect() -> Promise<Connection> {
    log.append("connect")
    return connecting.promise.map { [self] in Connection(pool: self) }
  }

  func takeBack(_ connection: Connection) -> Promise<Void> {
    log.append("take back")
    return takingBack.promise
  }
}

private struct Using {
  let pool: Pool

  func towns() -> Promise<[String]> {
    Promise.using(pool.connect, release: pool.takeBack) { connection in
      connection.query("select name from towns")
    }
  }
}

/// An open file.
private final class Handle: Sendable {
  private static let count = Locked(0)
  private static let opened = Locked<(@Sendable () -> Void)?>(nil)
  private let isOpen = Locked(true)

  /// The number of open handles.
  static var countOpen: Int { count.withLock { $0 } }

  /// Calls the closure when the next handle has been opened.
  static func whenOpened(_ body: @escaping @Sendable () -> Void) { opened.withLock { $0 = body } }

  init(_ name: String) throws {
    _ = Self.count.increment()
    let opened = Self.opened.withLock { opened in
      defer { opened = nil }
      return opened
    }
    opened?()
  }

  func close() {
    let wasOpen = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    if wasOpen { Self.count.withLock { $0 -= 1 } }
  }

  deinit { close() }
}

private struct Disk {
  let queue: ManualContext

  func open(_ name: String) -> Promise<Handle> {
    Promise(on: queue) { deferred in
      let handle = try Handle(name)
      if !deferred.fulfill(handle) { handle.close() }  // the promise was cancelled meanwhile
    }
  }
}

@Suite("The guide to cancellation: resources", .serialized)
struct CleaningUpTests {
  @Test(
    "A cancellation stops or prevents cleanup whose promise the handler returns", .rule("2.5", "4.4"),
    arguments: [false, true])
  func wrong(_ upstream: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let file = File()
      let text = Wrong().contents(of: file)
      text.cancel(upstream: upstream)
      file.reading.fulfill("text")
      world.runUntilIdle()
      #expect(file.log.entries == (upstream ? ["reading was stopped", "close", "closing was stopped"] : []))
      file.end()
    }
  }

  @Test(
    "A cancellation does not stop cleanup that begins in `alwaysThen`", .rule("2.5", "2.10"), arguments: [false, true])
  func right(_ upstream: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let file = File()
      let text = Right().contents(of: file)
      text.cancel(upstream: upstream)
      world.runUntilIdle()
      #expect(file.log.entries == (upstream ? ["reading was stopped", "close"] : ["close"]))
      #expect(file.closing.promise.isPending)
      file.end()
    }
  }

  @Test("The outcome passes on when the cleanup has ended", .rule("2.10"))
  func waiting() throws {
    try TestWorld.run { world in
      let file = File()
      let text = Right().contents(of: file)
      file.reading.fulfill("text")
      world.runUntilIdle()
      #expect(text.isPending && file.log.entries == ["close"])
      file.closing.fulfill()
      #expect(text.isFulfilled)
    }
  }

  /// A moment at which the client cancels.
  enum Moment: CaseIterable, Sendable { case before, connecting, querying, takingBack, never }

  @Test(
    "The pool gets its connection back once, whenever the client cancels", .rule("2.10"), arguments: Moment.allCases)
  func using(_ moment: Moment) throws {
    try TestWorld.run { world in
      let pool = Pool()
      let towns = Using(pool: pool).towns()
      for next in Moment.allCases {
        if next == moment { towns.cancel(upstream: true) }
        switch next {
        case .before, .never: break
        case .connecting: pool.connecting.fulfill()
        case .querying: if pool.querying.promise.isPending { pool.querying.fulfill(["Bonn"]) }
        case .takingBack: pool.takingBack.fulfill()
        }
        world.runUntilIdle()
      }
      let log =
        switch moment {
        case .before: [String]()
        case .connecting, .takingBack, .never: ["connect", "take back"]
        case .querying: ["connect", "the query was stopped", "take back"]
        }
      #expect(pool.log.entries == log)
      // The last moment is after the end.
      #expect(towns.isCancelled == (moment != .never) && towns.isFulfilled == (moment == .never))
    }
  }

  @Test("fulfill returns whether the promise has taken the value", .rule("1.3"), arguments: [false, true])
  func answer(_ isCancelled: Bool) {
    let queue = ManualContext()
    let handle = Disk(queue: queue).open("a")
    if isCancelled { Handle.whenOpened { handle.cancel() } }
    queue.runUntilIdle()
    #expect(handle.isCancelled == isCancelled && Handle.countOpen == (isCancelled ? 0 : 1))
    withExtendedLifetime(handle) {}
  }

  @Test("The value of a closure whose promise was cancelled meanwhile is released", .rule("2.5"))
  func releasedWhenCancelled() throws {
    try TestWorld.run { world in
      let handle = Promise.run { try Handle("a") }
      Handle.whenOpened { handle.cancel() }
      world.runUntilIdle()
      #expect(handle.isCancelled && Handle.countOpen == 0)
    }
  }

  @Test("The values of a late loser and of a cancelled link are released with their promises", .rule("4.8", "6.1"))
  func releasedLater() throws {
    try TestWorld.run { world in
      let (one, late) = (Deferred<Handle>(), Deferred<Handle>())
      let first = Promise.any([one.promise, late.promise])
      let used = first.map { _ in 1 }
      try one.fulfill(Handle("a"))
      used.cancel()
      try late.fulfill(Handle("b"))
      #expect(first.isFulfilled && used.isCancelled && Handle.countOpen == 2)
      withExtendedLifetime((one, late)) {}
    }
    #expect(Handle.countOpen == 0)
  }

  @Test("An object captured by a main-actor handler is released on the thread that cancels the promise", .rule("2.5"))
  func releasedElsewhere() {
    final class Screen: Sendable {
      let threads: Log<Bool>
      init(_ threads: Log<Bool>) { self.threads = threads }
      deinit { threads.append(Thread.isMainThread) }
    }
    let threads = Log<Bool>()
    let work = Deferred<Int>()
    let shown = work.promise.tap(on: .main) { [screen = Screen(threads)] _ in _ = screen }
    #expect(threads.entries.isEmpty && !Thread.isMainThread)
    shown.cancel()
    #expect(threads.entries == [false])
  }
}
