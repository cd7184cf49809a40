import PromiseContexts
import PromiseCore

/// What all gates are made of: lets closures run when there is a place for them, which they keep until their promise is
/// settled; or, at a pace, until they start.
///
///     run ──▶ entrance, pending ──then, on its context──▶ result
///                  ▲                    │ body's promise, when settled: its place is free
///                  └─ fulfilled when it is let in
///
/// The line keeps the entrance; who waits or is inside keeps the turnstile. If the result is cancelled, or the context
/// drops the closure, the guest gives up: its place in the line is free, or the one that it was about to take.
///
/// No thread waits. What is let in is settled in a loop, by one thread at a time, in the order of the line.
final class Turnstile: @unchecked Sendable {
  // `@unchecked`: all that varies is touched under the lock only. Under it nothing is released and no code of users' run: guests are
  // handed out, and go outside (rule 6.5).
  private let lock = ShortLock()
  private var line: Line
  /// A thread lets guests in, and will look again.
  private var isServing = false

  private let timers: (any TimerContext)?
  private var pace: Pace?
  /// Rings when the next may start. Only who serves sets it.
  private var alarm: (any ScheduledTimer)?
  private var countRung = 0

  /// - Parameter places: how many there are. Fewer than one count as one.
  init(places: Int) {
    line = Line(places: max(1, places))
    timers = nil
  }

  /// As many places as one likes, but only so many start in a time, and those who have are gone.
  init(pace: Pace, timers: any TimerContext) {
    line = Line(places: .max)
    self.pace = pace
    self.timers = timers
  }

  /// Calls the closure on its context, as soon as there are places for it.
  func run<Value>(
    taking places: Int = 1, on context: any ExecutionContext, at site: CreationSite,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    let entrance = Promise<Void>(pendingAt: site)
    let ticket = Ticket(lock.locked { line.join(for: places, entrance: entrance) }, for: self)
    let result = entrance.thenOwned(on: context, at: site) { [self] in
      // Else nobody wants it any more.
      guard enter(ticket.number) else { throw CancellationError() }
      if timers != nil { return try body() }
      do {
        let promise = try body()
        promise.whenSettled { [self, number = ticket.number] in change { $0.leave(number) } }
        return promise
      } catch {
        change { $0.leave(ticket.number) }
        throw error
      }
    }
    serve()
    return result
  }

  /// The same, with an async closure in a Task of its own: it keeps its places until it has returned, also if the result is settled
  /// before because it was cancelled.
  func asyncRun<Value>(
    taking places: Int = 1, priority: TaskPriority?, at site: CreationSite,
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    let entrance = Promise<Void>(pendingAt: site)
    let ticket = Ticket(lock.locked { line.join(for: places, entrance: entrance) }, for: self)
    let result = entrance.thenOwned(on: Immediately.shared, at: site) { [self] in
      guard enter(ticket.number) else { throw CancellationError() }
      let stay = Stay(ticket.number, in: self)
      return Promise.task(priority: priority) {
        // Goes with the closure if that is never called.
        defer { stay.end() }
        return try await body()
      }
    }
    serve()
    return result
  }

  /// The places of one who is inside, until the closure has returned or is released unrun.
  private final class Stay: Sendable {
    private let number: Int
    private let turnstile: Turnstile

    init(_ number: Int, in turnstile: Turnstile) {
      self.number = number
      self.turnstile = turnstile
    }

    deinit { end() }

    func end() { turnstile.change { [number] in $0.leave(number) } }
  }

  /// Goes with the closure that has it: before that was called, the guest has given up. An observer of the result would
  /// do the same, but a result that is observed is kept in a loop of results (rule 3.3).
  private final class Ticket: Sendable {
    let number: Int
    private let turnstile: Turnstile

    init(_ number: Int, for turnstile: Turnstile) {
      self.number = number
      self.turnstile = turnstile
    }

    deinit { turnstile.change { [number] in $0.giveUp(number) } }
  }

  private func enter(_ ticket: Int) -> Bool {
    guard let timers else { return lock.locked { line.enter(ticket) } }
    // Not when it was let in: its context may have been busy, and others would come too soon after it.
    let now = timers.elapsed
    let guest = lock.locked {
      guard line.enter(ticket) else { return nil as Line.Guest? }
      pace?.start(at: now)
      return line.leave(ticket)
    }
    // The next may need a timer from now on.
    return withExtendedLifetime(guest) {
      if guest != nil { serve() }
      return guest != nil
    }
  }

  private func change(_ body: (inout Line) -> Line.Guest?) {
    // It goes outside the lock.
    let guest = lock.locked { body(&line) }
    withExtendedLifetime(guest) { serve() }
  }
}

// MARK: - Serving

extension Turnstile {
  private enum Step {
    case admit(Line.Guest)
    case setAlarm(after: Duration, from: CreationSite, countRung: Int)
    case cancel(any ScheduledTimer)
    case done
  }

  /// Lets in whoever may, unless another thread is at it, which will then see what has changed.
  private func serve() {
    let isOurs = lock.locked {
      defer { isServing = true }
      return !isServing
    }
    guard isOurs else { return }
    while true {
      let now = timers?.elapsed ?? .zero
      switch lock.locked({ nextStep(at: now) }) {
      case .admit(let guest): guest.entrance.fulfillIfPending(())
      case .setAlarm(let pause, let site, let countRung): setAlarm(after: pause, from: site, countRung: countRung)
      case .cancel(let alarm): alarm.cancel()
      case .done: return
      }
    }
  }

  private func nextStep(at now: Duration) -> Step {
    if let alarm, line.countWaiting == 0 {
      self.alarm = nil
      return .cancel(alarm)
    }
    let pause = pace == nil ? .zero : pace?.pause(at: now, besides: line.countAdmitted)
    if pause == .zero, let guest = line.admitFirst() { return .admit(guest) }
    if let pause, pause > .zero, alarm == nil, let first = line.firstWaiting {
      return .setAlarm(after: pause, from: first.entrance.createdAt, countRung: countRung)
    }
    isServing = false
    return .done
  }

  private func setAlarm(after pause: Duration, from site: CreationSite, countRung: Int) {
    guard let timers else { return }
    let alarm = timers.schedule(after: pause, from: site) { [weak self] in self?.ring() }
    // Not if it has rung by now.
    lock.locked { if self.countRung == countRung { self.alarm = alarm } }
  }

  private func ring() {
    let alarm = lock.locked {
      countRung += 1
      return self.alarm.take()
    }
    withExtendedLifetime(alarm) { serve() }
  }
}
