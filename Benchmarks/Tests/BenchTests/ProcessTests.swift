import Foundation
import Testing

@testable import bench

@Suite("Processes that measure a workload")
struct ProcessTests {
  @Test("A process reads what another one has written")
  func session() throws {
    let cost = ProcessorCost(userNanoseconds: 30, systemNanoseconds: 4, voluntarySwitches: 0.25)
    let outcome = Outcome.made(
      [
        (.gcd, Timing(nanosecondsPerUnit: 100, trips: [90])),
        (.promise, Timing(nanosecondsPerUnit: 150, cost: cost)),
      ], goal: 1.00, p99Goal: nil)
    let rows = try JSONDecoder().decode([Row].self, from: JSONEncoder().encode(outcome.rows))
    let session = try Session(rows, of: outcome.workload)
    #expect(session.spread(of: .gcd)?.median == 100)
    #expect(session.spread(of: .gcd)?.p99 == 90)
    #expect(session.spread(of: .promise)?.cost == cost)
    #expect(session.rounds == 1)
    #expect(session.isPinned)
    #expect(throws: BenchError.self) { try Session(rows, of: .made(subjects: [.gcd, .concurrency])) }
  }

  @Test("A share of the rounds has at least three rounds, and all shares together have all rounds")
  func share() {
    #expect(Share("3/12") == Share(number: 3, count: 12))
    for text in ["", "3", "0/2", "3/2", "a/b", "1/2/3"] { #expect(Share(text) == nil, "\(text)") }
    #expect(Share.whole.rounds(of: 1) == 1)
    #expect(Share(number: 1, count: 4).rounds(of: 15) == 4)
    #expect(Share(number: 1, count: 12).rounds(of: 15) == 3)
  }

  @Test("Each process begins with another subject, and a second round has the reverse order")
  func rotation() throws {
    let order = Order()
    let subjects = [Subject.Name.gcd, .promise, .concurrency].map { name in
      Subject(name) { _ in
        order.append(name)
        return 1
      }
    }
    let workload = Workload(
      id: "T4", title: "order", baseline: "order", goal: nil, pinning: .allCores, unit: "unit", count: 1,
      quickCount: 1, subjects: subjects)
    let runner = Runner(
      mode: .full, rounds: 2, share: Share(number: 2, count: 3), progress: Progress())
    _ = try runner.run([workload], [])
    let forwards: [Subject.Name] = [.promise, .concurrency, .gcd]
    #expect(order.names == forwards + forwards + forwards.reversed())
  }

  @Test("A process that fails is an error with its command and its message", arguments: [Mode.full, .quick])
  func failure(mode: Mode) throws {
    let program = try script("echo no such thing >&2; exit 3")
    defer { try? FileManager.default.removeItem(atPath: program.program) }
    do {
      _ = try program.measure(.made(), share: Share(number: 1, count: 2), mode: mode, rounds: nil)
      Issue.record("The process has failed, so there should be an error")
    } catch BenchError.process(let what) {
      #expect(what.contains("--share 1/2"))
      #expect(what.contains("--quick") == (mode == .quick))
      #expect(what.contains("ended with 3: no such thing"))
    }
  }

  @Test("The stopwatch knows the processor time of a round")
  func cost() throws {
    _ = ProcessorCost.take()
    _ = Stopwatch.nanoseconds(per: 1) {
      var usage = ProcessorCost.total
      let end = usage.nanoseconds + 20_000_000
      while usage.nanoseconds < end { usage = ProcessorCost.total }
    }
    let cost = try #require(ProcessorCost.take())
    #expect(cost.nanoseconds >= 20_000_000)
    #expect(ProcessorCost.take() == nil)
  }

  /// Returns a program in a temporary file, whose path has a space.
  private func script(_ text: String) throws -> FreshProcess {
    let file = FileManager.default.temporaryDirectory.appending(path: "bench test \(UUID().uuidString)")
    let path = file.path(percentEncoded: false)
    try Data("#!/bin/sh\n\(text)\n".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    return FreshProcess(program: path)
  }
}

/// The order in which subjects ran.
private final class Order: @unchecked Sendable {
  // Only the thread of the run appends.
  private(set) var names: [Subject.Name] = []

  func append(_ name: Subject.Name) { names.append(name) }
}
