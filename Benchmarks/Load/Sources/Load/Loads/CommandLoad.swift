import Foundation
import PromiseCombinators
import PromiseProcesses

/// Programs that succeed, fail, pass their input on, or are killed.
final class CommandLoad: Load {
  let name = "commands"
  let tally = Tally()
  let rate: Double

  private let timers: CountedTimers
  private static let text = String(repeating: "0123456789abcde\n", count: 1_000)

  init(_ surroundings: Surroundings) {
    rate = 3 * surroundings.scale
    timers = surroundings.timers
  }

  func proceed(_ count: Int) {
    for _ in 0..<count { run(tally.counts.begun) }
  }

  private func run(_ number: Int) {
    let start = tally.begin()
    switch number % 4 {
    case 0:
      observe(Command("/bin/true"), since: start) { (try? $0.get()) != nil }
    case 1:
      observe(Command("/bin/cat").input(Self.text), since: start) { (try? $0.get())?.output == Data(Self.text.utf8) }
    case 2:
      observe(Command("/bin/false"), since: start) { result in
        if case .failure(CommandError.failed(let result)) = result { result.status == 1 } else { false }
      }
    default:
      let command = Command("/bin/sleep", ["1000"]).run(timers: timers)
      tally.observe(command.timeout(.milliseconds(20), timers: timers), since: start) {
        $0.isRejected(with: .timedOut)
      }
    }
  }

  private func observe(
    _ command: Command, since start: ContinuousClock.Instant,
    expecting isExpected: @escaping @Sendable (Result<CommandResult, any Error>) -> Bool
  ) {
    tally.observe(command.run(timers: timers), since: start, expecting: isExpected)
  }

  func stop() -> Promise<Void> {
    tally.bag.close()
    return tally.bag.whenFinished()
  }
}
