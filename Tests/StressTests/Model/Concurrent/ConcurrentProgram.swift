import TestSupport

/// A few steps of one thread, and then some steps of several threads at the same time. Each thread runs jobs of the
/// context with its own number.
///
/// The promises and handlers of threads are numbered thread by thread, whichever is made first.
struct ConcurrentProgram: Hashable, Sendable {
  var prefix: [Step]
  var threads: [[Step]]

  /// Returns the first numbers of each thread, after the promises and handlers that exist already.
  func nextNumbers(after promises: Int, _ handlers: Int) -> [Model.NextNumbers] {
    var next = Model.NextNumbers(promise: promises, handler: handlers)
    return threads.map { steps in
      defer {
        next.promise += steps.count(where: \.makesPromise)
        next.handler += steps.count(where: \.makesHandler)
      }
      return next
    }
  }

  var countOfPromises: Int { threads.joined().count(where: \.makesPromise) }
  var countOfHandlers: Int { threads.joined().count(where: \.makesHandler) }
}

extension ConcurrentProgram {
  /// Returns the program of a seed. The threads have so few steps that all orders can be examined.
  static func program(_ seed: UInt64) -> ConcurrentProgram {
    var random = Seeded(seed)
    let prefix = Generator.program(random.next(), length: 3...12, isAlone: false)
    var generator = Generator(after: prefix, random: Seeded(random.next()))
    let count = Int.random(in: 0..<4, using: &random) == 0 ? 3 : 2
    let threads = (0..<count).map { thread in
      generator.steps(Int.random(in: count == 2 ? 2...4 : 2...3, using: &random), of: thread)
    }
    return ConcurrentProgram(prefix: prefix, threads: threads)
  }
}

extension ConcurrentProgram {
  static func minimum(of program: ConcurrentProgram, while fails: @escaping (ConcurrentProgram) -> Bool)
    -> ConcurrentProgram
  {
    let count = program.threads.count
    let lines = Shrinker.minimum(of: program.lines) { fails(ConcurrentProgram($0, threads: count)) }
    return ConcurrentProgram(lines, threads: count)
  }

  /// The program as lines. The prefix is lane 0.
  private var lines: [Shrinker.Line] {
    ([prefix] + threads).enumerated().flatMap { lane, steps in steps.map { Shrinker.Line(step: $0, lane: lane) } }
  }

  private init(_ lines: [Shrinker.Line], threads: Int) {
    let lanes = (0...threads).map { lane in lines.filter { $0.lane == lane }.map(\.step) }
    self.init(prefix: lanes[0], threads: Array(lanes.dropFirst()))
  }
}
