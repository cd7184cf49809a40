import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

// Contains the snippets of Docs/Guides/OwnersAndClients.md, word for word. `Scripts/check-snippets.py` compares them.

@Suite("The guide to owners and clients") struct OwnersAndClientsTests {
  private let printer = Printer()
  private let letter = "Dear Ada"

  @Test("A callback settles the promise", arguments: [true, false])
  func callback(_ isShort: Bool) {
    let pages = isShort ? printer.printed(letter) : printer.print(letter)
    #expect(printer.driver.texts == [letter])
    #expect(pages.isPending)
    printer.driver.last?.completion(2, nil)
    #expect(pages.state.value == 2)
  }

  @Test("A driver that forgets its completion handler rejects the promise, even a promise with a hook", .rule("6.2"))
  func driverForgets() {
    let pages = [printer.print(letter), printer.printed(letter), printer.stoppable(letter)]
    #expect(pages.map(\.isPending) == [true, true, true])
    printer.driver.forgetAll()
    #expect(pages.map { name(of: $0.error) } == ["broken", "broken", "broken"])
  }

  @Test("An owner may follow two promises, and the first to settle wins", .rule("3.1", "3.4"))
  func follows() {
    let office = printer
    let other = Deferred<Int>()
    let pages = Deferred<Int>()
    pages.follow(office.print(letter))
    pages.follow(other.promise)
    #expect(pages.promise.isPending)
    printer.driver.last?.completion(2, nil)
    #expect(pages.promise.state.value == 2)
    #expect(other.promise.isPending)
  }

  enum End: CaseIterable { case fulfilled, rejected, cancelled, givenUp, released }

  @Test("A hook for the end runs whatever the end is", .rule("4.5"), arguments: End.allCases)
  func spools(_ end: End) throws {
    try TestWorld.run(checking: .running) { world in
      let pages = printer.spooled(letter)
      let label = pages.map { "\($0) pages" }
      label.onRejected { _ in }
      #expect(printer.spool.files == [letter])
      weak let work = printer.driver.last
      switch end {
      case .fulfilled: work?.completion(2, nil)
      case .rejected: work?.completion(nil, OutOfPaper())
      case .cancelled: pages.cancel()
      case .givenUp: label.cancel(upstream: true)
      case .released: printer.driver.forgetAll()
      }
      world.runUntilIdle()
      #expect(printer.spool.files.isEmpty)
      #expect((work?.isStopped == true) == [.cancelled, .givenUp].contains(end))
    }
  }

  /// Clients of a printer that share the work on equal texts.
  private struct Sharing {
    let printer: Printer
    let flights = SingleFlight<String, Int>()
    let cache = ValueCache<String, Int>(limit: 1)

    func pages(of text: String) -> Promise<Int> {
      flights.run(for: text) { printer.stoppable(text) }.shielded()
    }

    func pagesShieldedInside(of text: String) -> Promise<Int> {
      flights.run(for: text) { printer.stoppable(text).shielded() }
    }

    func cachedPages(of text: String) -> Promise<Int> {
      cache.value(for: text) { printer.stoppable(text) }.shielded()
    }

    func cachedPagesShieldedInside(of text: String) -> Promise<Int> {
      cache.value(for: text) { printer.stoppable(text).shielded() }
    }
  }

  @Test(
    "A shield around a flight lets the next client join the work, and a shield inside starts it again",
    .rule("4.6", "4.10"), arguments: [false, true], [false, true])
  func shields(isInside: Bool, isCached: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let sharing = Sharing(printer: printer)
      func pages() -> Promise<Int> {
        switch (isCached, isInside) {
        case (false, false): sharing.pages(of: letter)
        case (false, true): sharing.pagesShieldedInside(of: letter)
        case (true, false): sharing.cachedPages(of: letter)
        case (true, true): sharing.cachedPagesShieldedInside(of: letter)
        }
      }
      let first = pages()
      world.runUntilIdle()
      let work = printer.driver.last
      first.cancel(upstream: true)
      let second = pages()
      world.runUntilIdle()
      #expect(printer.driver.texts.count == (isInside ? 2 : 1))
      #expect(work?.isStopped == false)
      work?.completion(2, nil)
      if isInside { printer.driver.last?.completion(3, nil) }
      #expect(world.settling(second).state.value == (isInside ? 3 : 2))
    }
  }

  private func lazily(_ printer: Printer, _ letter: String, _ log: Log<Int>) -> LazyPromise<Int> {
    let pages = LazyPromise.adopting { printer.print(letter) }
    // printing has not begun
    pages.onFulfilled { count in log.append(count) }  // now it begins
    return pages
  }

  @Test("A lazy promise starts once, when its first consumer is attached")
  func lazy() throws {
    // The world does not check objects, because the driver retains its completion handlers.
    try TestWorld.run(checking: .running) { world in
      let log = Log<Int>()
      let unwanted = LazyPromise.adopting { [printer] in printer.print("nobody wants it") }
      let pages = lazily(printer, letter, log)
      pages.onFulfilled { log.append($0) }
      world.runUntilIdle()
      #expect(printer.driver.texts == [letter])
      #expect(!unwanted.isStarted)
      printer.driver.last?.completion(5, nil)
      world.runUntilIdle()
      #expect(log.entries == [5, 5])
    }
  }
}
