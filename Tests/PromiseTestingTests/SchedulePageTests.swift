import Foundation
import PromiseCombinators
import PromiseRecording
import TestSupport
import Testing

@Suite("The page of a failing schedule") struct SchedulePageTests {
  /// Returns the failure of a test and the text of its page.
  private func failing(_ body: () throws -> Void) throws -> (failure: ScheduleFailure, page: String) {
    let found = failure(body)
    let failure = try #require(found)
    let page = try String(contentsOfFile: failure.page, encoding: .utf8)
    try FileManager.default.removeItem(atPath: failure.page)
    return (failure, page)
  }

  @Test("The message names a file with a page that shows the promises of the shortened schedule, with their labels")
  func page() throws {
    let (failure, page) = try failing {
      try TestWorld.explore(schedules: 20, seed: 1) { world in
        let order = Log<Int>()
        for number in 1...2 {
          Promise.run(on: world.pool) { order.append(number) }.labeled("number \(number)")
        }
        world.runUntilIdle()
        world.expect(order.entries == [1, 2])
      }
    }
    #expect(failure.description.contains("to look at it in a browser: \(failure.page)\n"))
    #expect(page.hasPrefix("<!"))
    #expect(page.contains("number 2"))
    #expect(page.contains("SchedulePageTests.swift"))
    #expect(page.contains("Schedule of TestWorld.replay(seed: "))
  }

  @Test("The message recommends labels if steps read alike", arguments: [false, true])
  func alike(isLabelled: Bool) throws {
    let (failure, _) = try failing {
      try TestWorld.replay(choices: []) { world in
        for number in 1...3 {
          let promise = Promise.run(on: world.pool) {}
          if isLabelled { promise.labeled("number \(number)") }
        }
        world.runUntilIdle()
        world.expect(false)
      }
    }
    #expect(failure.description.contains("\nsome steps read alike: give their promises a label") == !isLabelled)
  }

  @Test("The page of a test that hangs shows what was pending then, and not how the end of the world has settled it")
  func hanging() throws {
    let page = try failing {
      try TestWorld.replay(choices: []) { world in
        let answer = Deferred<Int>(label: "answer")
        try world.run(until: answer.promise.map(on: world.main) { $0 })
      }
    }.page
    #expect(page.contains("\"answer\""))
    #expect(!page.contains("was deallocated"))
  }

  @Test("The page of a test that fails in a check of its own shows what was pending then")
  func verified() throws {
    let page = try failing {
      try TestWorld.replay(choices: []) { world in
        let answer = Deferred<Int>(label: "answer")
        try world.verify(.pendingPromises)
        _ = answer
      }
    }.page
    #expect(page.contains("\"answer\""))
    #expect(!page.contains("was deallocated"))
  }

  @Test("The page of a test whose wait does not end shows what was pending then")
  func endlessWait() throws {
    let world = TestWorld(stepLimit: 10, isRecording: true)
    #expect(throws: WaitError.self) {
      try world.runToItsEnd(checking: .all) { world in
        try world.run {
          let answer = Deferred<Int>(label: "answer")
          @Sendable func repeatForever() { world.clock.schedule(after: .seconds(1)) { repeatForever() } }
          repeatForever()
          try world.waitForPromises(within: .seconds(100))
          _ = answer
        }
      }
    }
    let noted = world.failedRecording.withLock(\.recording)
    let page = try #require(noted).page(title: "endless")
    #expect(page.contains("\"answer\""))
    #expect(!page.contains("was deallocated"))
  }

  /// The ways in which a test fails after an error that it has expected.
  enum LaterFailure: CaseIterable { case expectation, error, leftover }

  @Test(
    "The page goes on after the errors of waits that the test has expected, up to the failure",
    arguments: LaterFailure.allCases)
  func expectedErrors(before failure: LaterFailure) throws {
    let page = try failing {
      try TestWorld.replay(choices: [], checking: .timers) { world in
        let answer = Deferred<Int>(label: "answer")
        waitError { try world.run(until: answer.promise, within: .seconds(1)) }
        #expect(throws: WorldReport.self) { try world.waitForPromises(within: .seconds(1)) }
        Promise.run(on: world.main) { 1 }.labeled("later")
        world.runUntilIdle()
        switch failure {
        case .expectation: world.expect(false)
        case .error: throw TestError(1)
        case .leftover: world.clock.schedule(after: .seconds(1)) {}
        }
      }
    }.page
    #expect(page.contains("\"answer\""))
    #expect(page.contains("\"later\""))
  }

  @Test("The page ends at the first failed expectation, even if the test then throws the error of a wait")
  func firstExpectation() throws {
    let page = try failing {
      try TestWorld.replay(choices: []) { world in
        let answer = Deferred<Int>(label: "answer")
        world.expect(answer.promise.isFulfilled)
        try world.run(until: answer.promise.map(on: world.main) { $0 }.labeled("later"))
      }
    }.page
    #expect(page.contains("\"answer\""))
    #expect(!page.contains("\"later\""))
    // The time line has the length of the events, each of which takes a microsecond.
    let duration = try #require(page.firstMatch(of: /"duration":(\d+)/)?.1)
    #expect(try #require(Int(duration)) >= 1_000)
  }

  @Test("The page of a failing replay contains the values and labels of its promises")
  func replay() throws {
    let page = try failing {
      try TestWorld.replay(choices: []) { world in
        Promise.fulfilled("a value of the test").map(on: world.main) { $0 }.labeled("answer")
        world.runUntilIdle()
        throw TestError(1)
      }
    }.page
    #expect(page.contains("a value of the test"))
    #expect(page.contains("answer"))
    try TestWorld.replay(choices: []) { world in world.runUntilIdle() }
  }
}
