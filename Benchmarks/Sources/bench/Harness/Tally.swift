/// Counts the work of the handlers of one serial round.
///
/// It is a global and not an object, because the benchmarks use handlers that capture nothing on both sides, and such
/// handlers can reach nothing else. It also keeps the optimiser from removing the handlers. It is a plain integer,
/// because the handlers that write it run one after another on a serial queue, and the producer reads it after a
/// semaphore.
@exclusivity(unchecked) nonisolated(unsafe) var tally = 0

/// Runs one round that must add exactly `expected` to the tally. Throws if it does not.
func checkingTally<Result>(_ expected: Int, of what: String, _ round: () throws -> Result) throws -> Result {
  unsafe tally = 0
  let result = try round()
  let found = unsafe tally
  guard found == expected else {
    throw BenchError.wrongResult("\(what): \(found) of \(expected) handlers have run")
  }
  return result
}
