import PromiseContexts
import Synchronization

/// Timers of another context, and how many of them have neither run nor been cancelled.
final class CountedTimers: TimerContext {
  private let base: any TimerContext
  private let count = Count()

  init(_ base: any TimerContext = .standard) { self.base = base }

  var liveCount: Int { count.value.load(ordering: .relaxed) }

  var elapsed: Duration { base.elapsed }

  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    count.value.add(1, ordering: .relaxed)
    let timer = base.schedule(after: delay, from: site) { [count] in
      count.value.subtract(1, ordering: .relaxed)
      action()
    }
    return CountedTimer(base: timer, count: count)
  }

  final class Count: Sendable {
    let value = Atomic(0)
  }
}

private final class CountedTimer: ScheduledTimer {
  private let base: any ScheduledTimer
  private let count: CountedTimers.Count

  init(base: any ScheduledTimer, count: CountedTimers.Count) {
    self.base = base
    self.count = count
  }

  func cancel() -> Bool {
    let isPrevented = base.cancel()
    if isPrevented { count.value.subtract(1, ordering: .relaxed) }
    return isPrevented
  }
}
