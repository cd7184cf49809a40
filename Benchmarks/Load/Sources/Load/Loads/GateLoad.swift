import PromiseCombinators
import PromiseGates

/// A population of guests of five gates. A guest that has left its gate enters it again. Every eighth guest gives up if
/// its turn does not come in time. The duration is that from the call to the end of the guest.
final class GateLoad: Load {
  let name = "gates"
  let tally = Tally()

  /// A guest enters its gate at least once a second. The slowest gate admits 20 of its 200 guests in a tenth of a second.
  var leastRate: Double { Double(guestCount) }

  private let timers: CountedTimers
  private let guestCount: Int
  private let limit: ConcurrencyLimit
  private let serial: SerialGate
  private let readersWriter: ReadersWriterGate
  private let rateLimit: RateLimit
  private let flights = SingleFlight<Int, Int>()

  init(_ surroundings: Surroundings) {
    timers = surroundings.timers
    guestCount = surroundings.scaled(1_000)
    limit = ConcurrencyLimit(10, timers: timers)
    serial = SerialGate(timers: timers)
    readersWriter = ReadersWriterGate(timers: timers)
    rateLimit = RateLimit(20, per: .milliseconds(100), timers: timers)
  }

  func start() {
    for number in 0..<guestCount { enter(number) }
  }

  private func enter(_ number: Int) {
    let start = tally.begin()
    let isImpatient = number % 8 == 0
    let visit = isImpatient ? visit(number).timeout(.milliseconds(200), timers: timers) : visit(number)
    tally.observe(visit, since: start) { result in
      (try? result.get()) == number || isImpatient && result.isRejected(with: .timedOut)
    } next: { [weak self] in
      self?.enter(number)
    }
  }

  private func visit(_ number: Int) -> Promise<Int> {
    let stay: @Sendable (Int) -> Promise<Int> = { [timers] in
      .after(.milliseconds($0), fulfill: number, timers: timers)
    }
    switch number % 5 {
    case 0: return limit.run { stay(20) }
    case 1: return serial.run { stay(2) }
    case 2: return number % 50 == 2 ? readersWriter.write { stay(5) } : readersWriter.read { stay(50) }
    case 3: return rateLimit.run { stay(5) }
    default:
      // Ten guests of one flight get the number of the guest that began it.
      return flights.run(for: number % 20) { stay(500) }.map { _ in number }
    }
  }

  func stop() -> Promise<Void> {
    tally.bag.close()
    return Promise.all([
      limit.whenIdle(), serial.whenIdle(), readersWriter.whenIdle(), rateLimit.whenIdle(), tally.bag.whenFinished(),
    ]).asVoid()
  }

  var remains: [String] {
    let guests = [
      "ConcurrencyLimit": limit.runningCount + limit.waitingCount,
      "SerialGate": serial.runningCount + serial.waitingCount,
      "ReadersWriterGate": readersWriter.runningCount + readersWriter.waitingCount,
      "RateLimit": rateLimit.waitingCount,
    ]
    return guests.filter { $0.value != 0 }.map { "\($0.value) guests of \($0.key)" }
  }
}
