/// Counts what the handlers of one serial round did.
///
/// Why a global, and not an object: handlers that capture nothing are part of what is measured, on both sides, and this
/// is the only thing they can reach. It is also what keeps the optimiser from removing them. A plain integer, because
/// the handlers that write it run one after another on a serial queue, and the producer reads it after a semaphore.
@exclusivity(unchecked) nonisolated(unsafe) var tally = 0

/// Runs one round that must add exactly `expected` to the tally, and fails loudly if it did not.
func checkingTally<Result>(_ expected: Int, of what: String, _ round: () throws -> Result) throws -> Result {
  unsafe tally = 0
  let result = try round()
  let found = unsafe tally
  guard found == expected else {
    throw BenchError.wrongResult("\(what): \(found) of \(expected) handlers have run")
  }
  return result
}
