import TestSupport
import Testing

@Suite("Running a world", .bounded) struct RunningTests {
  let world = TestWorld()
  let log = Log<String>()

  /// Schedules a job that logs its name.
  func note(_ name: String, on context: any ExecutionContext) {
    world.job(on: context) { [log] in log.append(name) }
  }

  // MARK: Steps

  @Test("step() runs a single job, or a timer that is due now, and returns whether there was one")
  func step() {
    #expect(!world.step())
    note("first", on: world.pool)
    note("second", on: world.pool)
    #expect(log.entries.isEmpty, "nothing runs before the world is told to")
    #expect(world.step())
    #expect(log.entries == ["first"])
    #expect(world.step())
    #expect(log.entries == ["first", "second"])
    #expect(!world.step())
    world.clock.schedule(after: .nanoseconds(1)) { [log] in log.append("later") }
    world.clock.schedule(after: .zero) { [log] in log.append("now") }
    #expect(world.step())
    #expect(log.entries == ["first", "second", "now"])
    #expect(!world.step())
    #expect(log.entries.count == 3)
    #expect(world.time == .zero)
  }

  // MARK: Order

  @Test("The job or due timer that has waited longest runs next, on whatever context")
  func order() {
    let serial = world.serial("s")
    let concurrent = world.concurrent("c")
    let contexts: [any ExecutionContext] = [serial, concurrent, world.main, world.pool]
    var expected: [String] = []
    for round in 0..<3 {
      for (place, context) in contexts.enumerated() {
        note("\(round).\(place)", on: context)
        world.clock.schedule(after: .zero) { [log] in log.append("\(round).\(place) timer") }
        expected += ["\(round).\(place)", "\(round).\(place) timer"]
      }
    }
    #expect(world.runUntilIdle() == 24)
    #expect(log.entries == expected)
  }

  @Test("A timer takes its turn from the time at which it is due, not from its creation")
  func dueTimers() {
    // Both timers are due at the same time, before the handler that the first of them adds.
    for name in ["first", "second"] {
      world.clock.schedule(after: .seconds(1)) { [self] in
        log.append(name)
        note("handler after \(name)", on: world.pool)
      }
    }
    // This job is ready long before the timers are due.
    note("early", on: world.pool)
    world.advance(by: .seconds(1))
    #expect(log.entries == ["early", "first", "second", "handler after first", "handler after second"])
  }

  // MARK: Threads

  /// A context that hands its jobs to a world, and keeps a copy of each.
  private final class CopyingContext: ExecutionContext {
    let copies = Log<Job>()
    private let context: any ExecutionContext

    init(of context: any ExecutionContext) { self.context = context }

    func schedule(_ job: consuming Job) {
      copies.append(job)
      context.schedule(job)
    }
  }

  @Test("A copy of a job that waits in a world does nothing", .rule("2.1"), arguments: [false, true])
  func copies(isSerial: Bool) {
    let context = CopyingContext(of: isSerial ? world.serial("one") : world.concurrent("many"))
    let ran = Log<Int>()
    Promise.fulfilled(1).onFulfilled(on: context) { ran.append($0) }
    for copy in context.copies.entries { copy.run() }
    #expect(context.copies.entries.count == 1)
    #expect(ran.entries == [])
    world.runUntilIdle()
    #expect(ran.entries == [1])
  }

  @Test("Threads that run the same world lose no jobs, and no two handlers overlap")
  func contention() {
    let serial = world.serial("s")
    let ofSerial = Unprotected()
    let ofAll = Unprotected()
    let steps = Locked(0)
    let late = Locked(0)
    race(
      (0..<4).map { thread in
        { [world] in
          for number in 0..<100 {
            let own = world.run {
              Promise.run(on: serial) {
                ofSerial.visit()
                ofAll.visit()
              }
            }
            world.job(on: thread.isMultiple(of: 2) ? world.pool : world.main) { ofAll.visit() }
            if number.isMultiple(of: 3) {
              world.step()
            } else {
              let count = world.runUntilIdle()
              steps.withLock { $0 += count }
              // Only one thread at a time runs the world, so a thread that has waited finds its own work done.
              if own.isPending { late.withLock { $0 += 1 } }
            }
          }
        }
      })
    world.runUntilIdle()
    #expect(ofSerial.count == 400)
    #expect(ofSerial.most == 1)
    #expect(ofAll.count == 800)
    #expect(ofAll.most == 1)
    #expect(late.withLock { $0 } == 0)
    #expect(steps.withLock { $0 } <= 800)
  }
}
