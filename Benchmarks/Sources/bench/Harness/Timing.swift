/// The times of one round of a subject.
struct Timing: Sendable {
  /// The time of the whole round divided by the number of its units.
  let nanosecondsPerUnit: Double
  /// The nanoseconds of each single unit. Empty unless a caller waits for each unit before it starts the next.
  var trips: [UInt32] = []
  /// The processor cost of the round for each unit, or `nil` if each unit was timed by itself.
  var cost: ProcessorCost?
}
