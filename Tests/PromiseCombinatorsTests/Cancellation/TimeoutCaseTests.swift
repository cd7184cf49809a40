import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("Time limits that give up their source", .leavingNothing)
struct TimeoutCaseTests {
  private let world = TestWorld()
  private let work = StoppableWork()
  private let backup = StoppableWork()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: world.main) { $0 } }

  private func isTimedOut(_ error: (any Error)?) -> Bool {
    if case .timedOut? = error as? PromiseError { true } else { false }
  }

  @Test(
    "An expired limit that only leaves its source lets it be stopped later, while its rescue goes on",
    .rule("4.6", "4.8"))
  func leavesSource() {
    let (work, backup) = (work, backup)
    let limited = world.run { work.promise.timeout(.seconds(1), cancelsSource: false) }
    let rescued = limited.rescue(on: world.main) { _ in backup.promise }
    world.advance(by: .seconds(1))
    #expect(limited.isRejected && work.goesOn)
    link(work.promise).cancel(upstream: true)
    #expect(work.isStopped && rescued.isPending && backup.goesOn)
    backup.deferred.fulfill(2)
    world.runUntilIdle()
    #expect(rescued.values == 2)
  }

  @Test(
    "An expired limit stops its source, while its own rescue runs and is not cancelled", .rule("4.6"),
    arguments: 0..<3)
  func stopsSource(length: Int) {
    let (work, backup) = (work, backup)
    let source = (0..<length).reduce(work.promise) { promise, _ in link(promise) }
    let limited = world.run { source.timeout(.seconds(1)) }
    let rescued = limited.rescue(on: world.main) { _ in backup.promise }
    world.advance(by: .seconds(1))
    #expect(work.isStopped && source.isCancelled)
    world.runUntilIdle()
    #expect(rescued.isPending && !rescued.isCancelled && backup.goesOn)
    backup.deferred.fulfill(2)
    world.runUntilIdle()
    #expect(rescued.values == 2)
  }

  @Test("An expired limit below its own source is not cancelled when it stops that source", .rule("4.6"))
  func belowSource() {
    let work = work
    let recovered = world.run { work.promise.timeout(.seconds(1)) }.recover(on: world.main) { _ in 3 }
    let beside = work.promise.recover(on: world.main) { _ in 4 }
    beside.cancel()
    world.advance(by: .seconds(1))
    world.runUntilIdle()
    #expect(work.isStopped && recovered.values == 3)
  }

  @Test(
    "An expired limit is rejected but not cancelled, and its source is cancelled with the same error",
    .rule("1.2", "4.6", "7.1"))
  func marks() throws {
    let hook = Log<Bool>()
    let reports = reported {
      let deferred = Deferred<Int>()
      deferred.onCancel(on: .atOnce) { error in
        if case .timedOut? = error as? PromiseError { hook.append(true) } else { hook.append(false) }
      }
      let limited = world.run { deferred.promise.timeout(.seconds(1)) }
      world.advance(by: .seconds(1))
      #expect(limited.ownError.map(isTimedOut) == true && !limited.isCancelled)
      #expect(deferred.promise.ownError.map(isTimedOut) == true && deferred.promise.isCancelled)
    }
    #expect(hook.entries == [true] && reports.isEmpty)
  }

  @Test("No error of the source is reported if a client handles the expired limit", .rule("7.1"))
  func handled() {
    let reports = reported {
      let work = StoppableWork()
      let limited = world.run { link(work.promise).timeout(.seconds(1)) }.recover(on: world.main) { _ in 0 }
      world.advance(by: .seconds(1))
      world.runUntilIdle()
      #expect(limited.values == 0 && work.isStopped)
    }
    #expect(reports.isEmpty)
  }

  @Test("An expired limit does not stop a source that another consumer wants", .rule("4.4", "4.6"), arguments: 0..<2)
  func sharedSource(length: Int) {
    let other = link(work.promise)
    let source = (0..<length).reduce(work.promise) { promise, _ in link(promise) }
    let limited = world.run { source.timeout(.seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(limited.ownError.map(isTimedOut) == true && work.goesOn && other.isPending)
    other.cancel(upstream: true)
    #expect(work.isStopped)
  }

  @Test("A second limit on a source that a first limit has stopped is rejected at once", .rule("4.10"))
  func secondLimit() {
    let work = work
    let first = world.run { work.promise.timeout(.seconds(1)) }.catch(on: world.main) { _ in }
    world.advance(by: .seconds(1))
    let second = world.run { work.promise.timeout(.seconds(9)) }
    #expect(second.isRejected && second.isCancelled && second.ownError.map(isTimedOut) == true)
    #expect(first.isRejected && world.armed == 0)
  }

  @Test("A second limit keeps waiting if the first limit only left the source", .rule("4.6"))
  func softLimit() {
    let work = work
    let first = world.run { work.promise.timeout(.seconds(1), cancelsSource: false) }
    world.advance(by: .seconds(1))
    let second = world.run { work.promise.timeout(.seconds(9)) }
    #expect(first.isRejected && second.isPending && work.goesOn)
    work.deferred.fulfill(2)
    #expect(second.values == 2)
  }

  @Test("Only the last of several limits on a promise stops it when it expires", .rule("4.4", "4.6"))
  func severalLimits() {
    let work = work
    let limits = world.run { (1...3).map { work.promise.timeout(.seconds($0)) } }
    for number in 0..<3 {
      #expect(work.goesOn)
      world.advance(by: .seconds(1))
      #expect(limits[number].isRejected && !limits[number].isCancelled)
    }
    #expect(work.isStopped)
  }

  @Test(
    "An expired limit of an owner runs the owner's hooks and gives up the promise that it follows", .rule("4.5", "4.6"),
    arguments: 0..<3)
  func ownersLimit(length: Int) {
    let (owner, hooks) = (Deferred<Int>(), Log<String>())
    owner.onCancel(on: .atOnce) { error in
      if case .timedOut? = error as? PromiseError { hooks.append("timed out") } else { hooks.append("other") }
    }
    owner.follow((0..<length).reduce(work.promise) { promise, _ in link(promise) })
    let recovered = owner.promise.recover(on: world.main) { _ in 5 }
    world.run { owner.timeout(after: .seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(owner.promise.isRejected && isTimedOut(owner.promise.ownError))
    #expect(hooks.entries == ["timed out"] && work.isStopped)
    world.runUntilIdle()
    #expect(recovered.values == 5, "a time limit is an ordinary rejection for the links")
  }

  @Test("An expired limit of an owner does not stop work that another consumer wants", .rule("4.6"))
  func ownersLimitShared() {
    let owner = Deferred<Int>()
    let other = link(work.promise)
    owner.follow(link(work.promise))
    world.run { owner.timeout(after: .seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(owner.promise.isRejected && work.goesOn && other.isPending)
  }

  @Test("A limit runs no hook if its owner settled in time", .rule("4.5"))
  func ownersLimitInTime() {
    let work = work
    world.run { work.deferred.timeout(after: .seconds(1)) }
    work.deferred.fulfill(1)
    world.advance(by: .seconds(2))
    #expect(work.promise.values == 1 && work.reasons.isEmpty && world.armed == 0)
  }
}
