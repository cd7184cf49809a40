import PromiseCombinators
import TestSupport
import Testing

@Suite("Operators whose closures run on an actor", .leavingNothing) struct IsolatedOperatorTests {
  private let world = TestWorld()
  private let notebook = Notebook<Int>()

  /// The notes when the world is idle.
  private var notes: [Int]? { world.notes(in: notebook) }

  @Test("traverse gets each element, and starts as many closures as its concurrency allows", arguments: [false, true])
  func traverse(_ isAsync: Bool) {
    let owners = (0..<4).map { _ in Deferred<Int>() }
    let body: @Sendable (isolated Notebook<Int>, Int) -> Promise<Int> = { notebook, number in
      notebook.note(number, returning: owners[number].promise)
    }
    let all = world.run {
      isAsync
        ? Promise.traverse(Ticks(4), concurrency: 3, isolatedTo: notebook, body)
        : Promise.traverse(0..<4, concurrency: 3, isolatedTo: notebook, body)
    }
    #expect(notes == [0, 1, 2])
    for number in 0..<4 { owners[number].fulfill(number * 10) }
    #expect(notes == [0, 1, 2, 3])
    #expect(all.state.value == [0, 10, 20, 30])
  }

  @Test("reduce hands the value so far and the element to its closure, and chain each value to the next function")
  func reduceAndChain() {
    let sum = world.run {
      Promise.fulfilled(1).reduce([2, 3], isolatedTo: notebook) { notebook, value, element in
        notebook.note(value, element, returning: .fulfilled(value * 10 + element))
      }
    }
    #expect(notes == [1, 2, 12, 3])
    #expect(sum.state.value == 123)
    let joined = world.start {
      Promise.reduce(all: [.fulfilled(4), .fulfilled(6)], isolatedTo: notebook) { notebook, value, next in
        notebook.note(value, next, returning: .fulfilled(value * 10 + next))
      }
    }
    #expect(joined.state.value == 46)
    let link: @Sendable (isolated Notebook<Int>, Int) -> Promise<Int> = { notebook, value in
      notebook.note(value, returning: .fulfilled(value + 1))
    }
    let end = world.run { Promise.chain(5, [link, link, link], isolatedTo: notebook) }
    #expect(notes == [1, 2, 12, 3, 4, 6, 5, 6, 7])
    #expect(end.state.value == 8)
  }

  @Test("using calls its three closures on the actor, in order", .rule("2.10"))
  func using() {
    let result = world.run {
      Promise<Int>.using(
        { notebook in notebook.note(1, returning: Promise.fulfilled(7)) },
        release: { notebook, number in notebook.note(number + 2, returning: Promise.fulfilled(())) },
        isolatedTo: notebook,
        { notebook, number in notebook.note(number, returning: .fulfilled(number + 1)) })
    }
    #expect(notes == [1, 7, 9])
    #expect(result.state.value == 8)
  }

  @Test("On the actor, the release of using gets the outcome", .rule("2.10"))
  func outcome() {
    let result = world.run {
      Promise<Int>.using(
        { notebook in notebook.note(1, returning: Promise.fulfilled(7)) },
        release: { notebook, number, outcome in
          notebook.note(number, (try? outcome.get()) ?? 0, returning: Promise.fulfilled(()))
        }, isolatedTo: notebook,
        { notebook, number in notebook.note(number, returning: .fulfilled(number + 1)) })
    }
    #expect(notes == [1, 7, 7, 8])
    #expect(result.state.value == 8)
  }

  @Test("using calls the closures of resources and its closure on the actor, in order", .rule("2.10"))
  func resources() {
    let resource = Resource(
      { notebook in notebook.note(1, returning: Promise.fulfilled(7)) },
      release: { notebook, number in notebook.note(number + 2, returning: Promise.fulfilled(())) },
      isolatedTo: notebook)
    let other = Resource(
      { notebook in notebook.note(2, returning: Promise.fulfilled(10)) },
      release: { notebook, number, outcome in
        notebook.note((try? outcome.get()) == nil ? 0 : number, returning: Promise.fulfilled(()))
      }, isolatedTo: notebook)
    let one = world.run {
      Promise<Int>.using(resource, isolatedTo: notebook) { notebook, number in
        notebook.note(number, returning: .fulfilled(number + 1))
      }
    }
    #expect(notes == [1, 7, 9])
    let two = world.run {
      Promise<Int>.using(resource, other, isolatedTo: notebook) { notebook, first, second in
        notebook.note(first, second, returning: .fulfilled(first + second))
      }
    }
    #expect(notes == [1, 7, 9, 1, 2, 7, 10, 10, 9])
    #expect(one.state.value == 8)
    #expect(two.state.value == 17)
  }

  @Test("retry makes the given number of attempts, with the pauses of its clock", arguments: [1, 3])
  func retry(_ attempts: Int) {
    let times = Log<Duration>()
    let result = world.run {
      Promise<Int>.retry(
        attempts: attempts, backoff: .constant(.seconds(2)), isolatedTo: notebook, timers: world.clock
      ) { [clock = world.clock] notebook in
        times.append(clock.elapsed)
        notebook.notes.append(notebook.notes.count + 1)
        return .rejected(TestError(notebook.notes.count))
      }
    }
    world.advance(by: .seconds(60))
    #expect(times.entries == (0..<attempts).map { .seconds(2 * $0) })
    #expect(notes == Array(1...attempts))
    #expect(result.failure == .test(attempts))
  }

  @Test("The predicate of retry gets the actor, the attempt from 1 and its error, and ends the attempts")
  func predicate() {
    let result = world.run {
      Promise<Int>.retry(
        attempts: 9, isolatedTo: notebook,
        while: { notebook, attempt, error in
          notebook.note(attempt, (error as? TestError)?.number ?? -1, returning: attempt < 2)
        }
      ) { notebook in .rejected(TestError(10 + notebook.notes.count)) }
    }
    world.advance(by: .seconds(60))
    #expect(notes == [1, 10, 2, 12])
    #expect(result.failure == .test(12))
  }
}
