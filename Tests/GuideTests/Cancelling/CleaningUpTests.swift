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

private struct Handle: Sendable {
  init(_ name: String) throws {}
  func close() {}
}

/// Only compiled. The tests of second settlements run such calls.
private struct Disk {
  let queue: ManualContext

  func open(_ name: String) -> Promise<Handle> {
    Promise(on: queue) { deferred in
      let handle = try Handle(name)
      if !deferred.fulfill(handle) { handle.close() }  // the promise was cancelled meanwhile
    }
  }
}

private struct Payments {
  let bank: GuideServer
  let book: Log<String>

  func pay(_ bill: String) -> Promise<String> {
    bank.page(bill).always { result in
      if case .success(let receipt) = result { book.append(receipt) }
    }
  }

  func payInAnyCase(_ bill: String) -> Promise<String> {
    let payment = bank.page(bill)
    payment.onFulfilled { receipt in book.append(receipt) }
    return payment.map { $0 }
  }

  func payForgetfully(_ bill: String) -> Promise<String> {
    bank.page(bill).tap { receipt in book.append(receipt) }
  }
}

@Suite("The guide to cancellation: resources") struct CleaningUpTests {
  @Test(
    "A cancellation between a step and the handler behind it omits `tap`, but not `always`", .rule("2.5"),
    arguments: [false, true])
  func bookkeeping(isForgetful: Bool) throws {
    try TestWorld.run { world in
      let payments = Payments(bank: GuideServer(), book: Log())
      let receipt = isForgetful ? payments.payForgetfully("rent") : payments.pay("rent")
      payments.bank.answer("rent", with: .success("paid"))
      receipt.cancel(upstream: true)
      world.runUntilIdle()
      #expect(receipt.isCancelled)
      #expect(payments.book.entries == (isForgetful ? [] : ["paid"]))
    }
  }

  @Test(
    "A payment that is observed goes on after each cancellation, and is recorded", .rule("4.4"),
    arguments: [false, true])
  func observedStep(upstream: Bool) throws {
    try TestWorld.run(checking: .running.subtracting(.unstoppedWork)) { world in
      let payments = Payments(bank: GuideServer(), book: Log())
      let receipt = payments.payInAnyCase("rent")
      receipt.cancel(upstream: upstream)
      #expect(receipt.isCancelled)
      payments.bank.answer("rent", with: .success("paid"))
      world.runUntilIdle()
      #expect(payments.book.entries == ["paid"])
    }
  }

  @Test(
    "A cancellation stops or prevents cleanup whose promise the handler returns, but not cleanup in `alwaysThen`",
    .rule("2.5", "2.10", "4.4"), arguments: [false, true], [false, true])
  func cleanup(isRight: Bool, upstream: Bool) throws {
    try TestWorld.run(checking: upstream ? .running : .running.subtracting(.unstoppedWork)) { world in
      let file = File()
      let text = isRight ? Right().contents(of: file) : Wrong().contents(of: file)
      text.cancel(upstream: upstream)
      if !isRight { file.reading.fulfill("text") }
      world.runUntilIdle()
      let cleanup: [String] = isRight ? ["close"] : upstream ? ["close", "closing was stopped"] : []
      #expect(file.log.entries == (upstream ? ["reading was stopped"] : []) + cleanup)
      #expect(file.closing.promise.isPending == (isRight || !upstream))
      file.end()
    }
  }
}
