import PromiseCombinators
import TestSupport
import Testing

// Contains the snippets of Docs/Guides/OwnersAndClients.md, word for word. `Scripts/check-snippets.py` compares them.

@Suite("The guide to owners and clients")
struct OwnersAndClientsTests {
  private let printer = Printer()
  private let letter = "Dear Ada"

  @Test("resolve takes its first argument as the value, even if the value is an error", .rule("1.4"))
  func errorAsValue() {
    let message = Promise<any Error> { deferred in deferred.resolve(OutOfPaper(), nil) }  // fulfilled with an error
    #expect(message.isFulfilled)
  }

  @Test("A callback settles the promise", arguments: [true, false])
  func callback(_ isShort: Bool) {
    let pages = isShort ? printer.printed(letter) : printer.print(letter)
    #expect(printer.driver.texts == [letter] && pages.isPending)
    printer.driver.last?.completion(2, nil)
    #expect(pages.valueNow == 2)
  }

  @Test("resolve prefers an error to a value, and rejects without either")
  func shapes() {
    func settled(_ count: Int?, _ error: (any Error)?) -> Promise<Int> {
      let pages = printer.print(letter)
      printer.driver.last?.completion(count, error)
      return pages
    }
    #expect(settled(1, OutOfPaper()).errorNow is OutOfPaper)
    #expect(settled(3, nil).valueNow == 3)
    #expect(name(of: settled(nil, nil).errorNow) == "emptyCallback")
  }

  @Test("An API with two handlers settles the promise through either handler", arguments: [true, false])
  func twoHandlers(_ isFine: Bool) {
    func api(success: (Int) -> Void, failure: (any Error) -> Void) {
      if isFine { success(1) } else { failure(OutOfPaper()) }
    }
    let pages = Promise { deferred in
      api(success: deferred.resolve, failure: { deferred.reject($0) })
    }
    #expect(pages.valueNow == (isFine ? 1 : nil))
    #expect(pages.isRejected != isFine)
  }

  @Test("The first settlement wins, and the program is told of later settlements", .rule("1.3"))
  func firstWins() {
    let late = Log<SecondSettlement>()
    Diagnostics.scoped(secondSettlement: late.append) {
      let pages = Deferred<Int>()
      pages.fulfill(3)  // true
      pages.reject(OutOfPaper())  // false: it was settled before, and stays as it is
      #expect(pages.promise.valueNow == 3)
      #expect(!pages.fulfill(4))
    }
    #expect(late.entries.count == 2)
    #expect(late.entries.first?.error is OutOfPaper)
  }

  @Test("A promise whose owner was deallocated is rejected with the line of its Deferred", .rule("6.2"))
  func forgets() {
    let error = forgetful().errorNow.map { "\($0)" }
    let start = "the promise made at GuideTests/OwnersAndClientsProgram.swift:105 was never settled"
    #expect(error == "\(start): its Deferred was deallocated")
  }

  @Test(
    "A driver that forgets its completion handler rejects the promise, even if the promise has a hook", .rule("6.2"))
  func driverForgets() {
    let pages = [printer.print(letter), printer.printed(letter), printer.stoppable(letter)]
    #expect(pages.map(\.isPending) == [true, true, true])
    printer.driver.forgetAll()
    #expect(pages.map { name(of: $0.errorNow) } == ["broken", "broken", "broken"])
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
    #expect(pages.promise.valueNow == 2)
    #expect(other.promise.isPending)
  }

  @Test("An owner that follows its own promise rejects it", .rule("3.2"))
  func ring() {
    let pages = Deferred<Int>()
    pages.follow(pages.promise)
    #expect(name(of: pages.promise.errorNow) == "cycle")
  }

  @Test("The owner learns of a cancellation and stops its driver", .rule("4.5"))
  func cancels() {
    let pages = printer.stoppable(letter)
    pages.cancel()  // the driver stops, and `pages` is rejected with CancellationError
    #expect(printer.driver.last?.isStopped == true)
    #expect(pages.errorNow is CancellationError)
  }

  @Test("A hook on the main actor stops its object in a separate handler", .rule("4.5"))
  @MainActor func stopsOnMain() throws {
    let scanner = Scanner()
    // The world does not check objects, because the scanner retains its completion handler.
    try TestWorld.run(checking: .running) { world in
      let pages = Office().scan(scanner)
      pages.cancel()
      #expect(pages.isCancelled && !scanner.isStopped)
      world.runUntilIdle()
      #expect(scanner.isStopped)
    }
  }

  @Test("The owner learns that the last client behind a link has given up", .rule("4.4", "4.5"))
  func givesUp() {
    let label = printer.stoppable(letter).map { "\($0) pages" }
    label.cancel(upstream: true)  // the driver stops: `label` was the only consumer
    #expect(label.isCancelled && printer.driver.last?.isStopped == true)
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
      #expect(printer.spool.files.isEmpty && (work?.isStopped == true) == [.cancelled, .givenUp].contains(end))
    }
  }

  @Test("A consumer that the owner attaches keeps its work running", .rule("4.0"))
  func keepsItselfGoing() throws {
    try TestWorld.run(checking: .running) { world in
      let pages = printer.misspooled(letter)
      let label = pages.map { "\($0) pages" }
      label.cancel(upstream: true)
      #expect(pages.isPending && printer.driver.last?.isStopped == false)
      printer.driver.last?.completion(2, nil)
      world.runUntilIdle()
      #expect(printer.spool.files.isEmpty)
    }
  }

  @Test("An owner can settle a promise while it holds a lock that its hooks take", .rule("2.1", "4.5"))
  func settlesUnderLock() throws {
    try TestWorld.run(checking: .running) { world in
      let queue = Queue()
      let first = Promise.any([queue.add(1), queue.add(2)], cancelsLosers: true)
      queue.end(1, after: 3)
      #expect(first.valueNow == 3)
      world.runUntilIdle()
      #expect(queue.numbers.isEmpty)
    }
  }

  @Test("A followed promise is given up with its follower", .rule("3.1", "4.4"))
  func givesUpFollowed() {
    let pages = Deferred<Int>()
    pages.follow(printer.stoppable(letter).map { $0 })
    pages.promise.cancel()
    #expect(printer.driver.last?.isStopped == true)
  }

  @Test("A cancelled lazy promise never starts, or gives up the work that it has started", .rule("4.6"))
  func lazyCancelled() throws {
    try TestWorld.run(checking: .running) { world in
      let pages = LazyPromise.adopting { [printer, letter] in printer.stoppable(letter).map { $0 } }
      pages.start()
      world.runUntilIdle()
      pages.cancel()
      #expect(printer.driver.last?.isStopped == true)
      let other = LazyPromise.adopting { [printer, letter] in printer.stoppable(letter) }
      other.cancel()
      #expect(!other.start())
      world.runUntilIdle()
      #expect(printer.driver.texts == [letter])
    }
  }

  @Test("A cancellation of a settled promise does not stop its driver", .rule("4.5"))
  func doesNotStopWhatIsDone() {
    let pages = printer.stoppable(letter)
    printer.driver.last?.completion(1, nil)
    pages.cancel()
    #expect(printer.driver.last?.isStopped == false)
    #expect(pages.isFulfilled)
  }

  @Test("A cancellation of a shielded promise does not stop the work", .rule("4.10"))
  func shields() {
    let pages = printer.unstoppable(letter)
    pages.cancel()
    #expect(pages.isCancelled)
    #expect(printer.driver.last?.isStopped == false)
  }

  @Test("A released promise is cancelled, and its hook runs later", .rule("4.5"))
  func letsGo() throws {
    try TestWorld.run(checking: .running) { world in
      do {
        let pages = printer.estimate(letter)
        world.runUntilIdle()
        #expect(pages.isPending && printer.driver.last?.isStopped == false)
      }
      #expect(printer.driver.last?.isStopped == false)
      world.runUntilIdle()
      #expect(printer.driver.last?.isStopped == true)
    }
  }

  @Test(
    "A pending handler for the value keeps the work running, and handlers for errors and progress do not", .rule("4.0"))
  func countsHandlers() throws {
    try TestWorld.run(checking: .running) { world in
      let context = world.serial("handlers")
      printer.estimate(letter).onFulfilled(on: context) { _ in }
      world.runUntilIdle()
      #expect(printer.driver.last?.isStopped == false)
      printer.driver.last?.completion(1, nil)
      printer.estimate(letter).onProgress(on: context) { _ in }
      world.runUntilIdle()
      #expect(printer.driver.last?.isStopped == true)
      printer.estimate(letter).onRejected(on: context) { _ in }
      world.runUntilIdle()
      #expect(printer.driver.last?.isStopped == true)
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
