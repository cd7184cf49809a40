import TestSupport

/// A place where the library runs client code, which may then call the library again.
enum ReentryPlace: CaseIterable, Sendable {
  case handler, handlerOfCancelled, contextSchedules, contextSchedulesLate
  case hook, lateHook, progressHandler, body
  case value, losingError, captureOfPassedOver, captureOfCancelled, captureOfDropped, captureOfHook, captureOfProgress
  case unhandledRejection, secondSettlement
  case timer, captureOfTimer

  /// The outcome of the promise when the client code runs, or `nil` if the promise is pending.
  var outcome: Target.Outcome? {
    switch self {
    case .handler, .contextSchedules, .contextSchedulesLate, .losingError, .captureOfPassedOver, .captureOfDropped,
      .captureOfHook, .captureOfProgress, .secondSettlement:
      .value(Target.byTest)
    case .handlerOfCancelled, .hook, .lateHook, .captureOfCancelled: .cancelled
    case .progressHandler, .body, .value, .unhandledRejection, .timer, .captureOfTimer: nil
    }
  }

  /// Makes client code call the closure once from this place. Returns the target of the call.
  func reach(_ comeback: @escaping @Sendable (Target) -> Void) -> Target {
    let made = Locked<Target?>(nil)
    // Reports of second settlements reach only this closure.
    let told: @Sendable (SecondSettlement) -> Void = { _ in
      if self == .secondSettlement, let target = made.withLock(\.self) { comeback(target) }
    }
    let target = Diagnostics.scoped(secondSettlement: told) { Target() }
    made.withLock { $0 = target }
    // The closure captures the target weakly. Otherwise, the target would retain itself.
    let back: @Sendable () -> Void = { [weak target] in if let target { comeback(target) } }
    reach(target, back)
    made.withLock { $0 = nil }
    return target
  }

  private func reach(_ target: Target, _ back: @escaping @Sendable () -> Void) {
    let promise = target.promise
    let context = target.context
    let fulfill = { _ = target.owner?.fulfill(Target.byTest) }
    switch self {
    case .handler:
      promise.onFulfilled(on: context) { _ in back() }
      fulfill()
    case .handlerOfCancelled:
      promise.always(on: context) { _ in back() }
      promise.cancel()
    case .contextSchedules:
      promise.onFulfilled(on: CallingContext(context, back)) { _ in }
      fulfill()
    case .contextSchedulesLate:
      fulfill()
      promise.onFulfilled(on: CallingContext(context, back)) { _ in }
    case .hook:
      target.owner?.onCancel { _ in back() }
      promise.cancel()
    case .lateHook:
      promise.cancel()
      target.owner?.onCancel { _ in back() }
    case .progressHandler:
      promise.onProgress(on: context) { if $0 == 0.5 { back() } }
      target.owner?.report(progress: 0.5)
    case .body: Promise<Int>(on: context) { _ in back() }.catch(on: context) { _ in }
    case .value: Promise.fulfilled(AtEnd(back)).tap(on: context) { _ in }
    case .losingError:
      fulfill()
      target.owner?.reject(AtEnd(back))
    case .captureOfPassedOver:
      promise.onRejected(on: context) { [end = AtEnd(back)] _ in withExtendedLifetime(end) {} }
      fulfill()
    case .captureOfCancelled:
      promise.tap(on: context) { [end = AtEnd(back)] _ in withExtendedLifetime(end) {} }
      promise.cancel()
    case .captureOfDropped:
      promise.tap(on: DroppingContext()) { [end = AtEnd(back)] _ in withExtendedLifetime(end) {} }
      fulfill()
    case .captureOfHook:
      target.owner?.onCancel { [end = AtEnd(back)] _ in withExtendedLifetime(end) {} }
      fulfill()
    case .captureOfProgress:
      promise.onProgress(on: context) { [end = AtEnd(back)] _ in withExtendedLifetime(end) {} }
      fulfill()
    case .unhandledRejection:
      let told: @Sendable (UnhandledRejection) -> Void = { _ in back() }
      Diagnostics.scoped(unhandledRejection: told) { _ = Promise<Int>.rejected(TestError(1)) }
    case .secondSettlement:
      fulfill()
      fulfill()
    case .timer:
      let timers = TimerQueue { _ in }
      timers.schedule(at: 10) { back() }
      timers.alarmFired(at: 10)
    case .captureOfTimer:
      let timers = TimerQueue { _ in }
      timers.schedule(at: 10) { [end = AtEnd(back)] in withExtendedLifetime(end) {} }.cancel()
    }
    context.runUntilIdle()
  }
}
