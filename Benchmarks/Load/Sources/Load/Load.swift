import PromiseContexts

/// A part of the work: operations that begin at a steady rate, or a steady population of them.
protocol Load: Sendable {
  var name: String { get }
  var tally: Tally { get }

  /// Starts the population, if there is one. Called once.
  func start() throws

  /// Begins or replaces some operations. Called by one thread, again and again.
  func proceed(_ count: Int)

  /// How many operations begin in a second. A load without a rate begins its operations itself.
  var rate: Double { get }

  /// How many operations end in a second, at least.
  var leastRate: Double { get }

  /// Cancels all operations. No operation begins afterwards.
  ///
  /// - Returns: a promise that is fulfilled when all have finished.
  func stop() -> Promise<Void>

  /// Names what is left after the stop, such as guests of a gate.
  var remains: [String] { get }
}

extension Load {
  func start() throws {}
  func proceed(_ count: Int) {}
  var rate: Double { 0 }
  var leastRate: Double { rate }
  var remains: [String] { [] }
}

/// The objects that all loads of a run share.
struct Surroundings: Sendable {
  /// All loads use these timers, so that the run can say whether one is left.
  var timers = CountedTimers()
  /// Multiplies rates and populations.
  var scale = 1.0
  /// The number of promises that are pending all the time.
  var promises = 1_000_000
  /// The clock of the timers, if the program advances it.
  var clock: SteppedTimers?
  /// Whether the time may jump, so that limits expire which otherwise would not.
  var limitsMayExpire = false

  func scaled(_ count: Int) -> Int { max(1, Int(Double(count) * scale)) }
}
