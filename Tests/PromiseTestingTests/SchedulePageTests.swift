import Foundation
import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("The page of a failing schedule")
struct SchedulePageTests {
  @Test("The message names a file with a page that shows the promises of the shortened schedule, with their labels")
  func page() throws {
    let failure = try #require(
      #expect(throws: ScheduleFailure.self) {
        try TestWorld.explore(schedules: 20, seed: 1) { world in
          let order = Log<Int>()
          for number in 1...2 {
            Promise.run(on: world.pool) { order.append(number) }.labelled("number \(number)")
          }
          world.runUntilIdle()
          world.expect(order.entries == [1, 2])
        }
      })
    #expect(failure.description.contains("to look at it in a browser: \(failure.page)\n"))
    let page = try String(contentsOfFile: failure.page, encoding: .utf8)
    try FileManager.default.removeItem(atPath: failure.page)
    #expect(page.hasPrefix("<!") && page.contains("number 2") && page.contains("SchedulePageTests.swift"))
    #expect(page.contains("Schedule of TestWorld.replay(seed: "))
  }

  @Test("The page of a test that hangs shows what was pending then, and not how the end of the world has settled it")
  func hanging() throws {
    let failure = try #require(
      #expect(throws: ScheduleFailure.self) {
        try TestWorld.replay(choices: []) { world in
          let answer = Deferred<Int>(label: "answer")
          try world.run(until: answer.promise.map(on: world.main) { $0 })
        }
      })
    let page = try String(contentsOfFile: failure.page, encoding: .utf8)
    try FileManager.default.removeItem(atPath: failure.page)
    #expect(page.contains("\"answer\"") && !page.contains("was deallocated"))
  }

  @Test("The page of a failing replay contains the values and labels of its promises")
  func replay() throws {
    let failure = try #require(
      #expect(throws: ScheduleFailure.self) {
        try TestWorld.replay(choices: []) { world in
          Promise.fulfilled("a value of the test").map(on: world.main) { $0 }.labelled("answer")
          world.runUntilIdle()
          throw TestError(1)
        }
      })
    let page = try String(contentsOfFile: failure.page, encoding: .utf8)
    try FileManager.default.removeItem(atPath: failure.page)
    #expect(page.contains("a value of the test") && page.contains("answer"))
    try TestWorld.replay(choices: []) { world in world.runUntilIdle() }
  }
}
