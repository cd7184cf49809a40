// Promises that were made while the register of pending promises is on, or while a recorder is set, have a
// enrollment. Other promises have none, and pay hardly anything for it: each of the checks here is behind the one load
// of `Diagnostics.isActive` or `Diagnostics.hasEnrollments`, or behind a side table that such a promise does not have.

/// Keeps one pending promise in the register, in the list of a recorder, or in both. Not to be confused with a hook or
/// a watch that is registered with a promise.
///
/// The side table of the promise has it until the promise is settled or deallocated. The finish of a promise that has
/// not finished then has another. Therefore it ends by itself.
///
/// `@unchecked Sendable`, because `context` is guarded by the lock of the promise, and the other fields are constant.
/// The runtime clears the weak reference atomically.
final class Enrollment: @unchecked Sendable {
  /// The time on the clock of the register when the promise was made. Zero if the register has not got it.
  let time: Duration
  /// Whether the source was settled when the promise was derived, so that its handler has been queued since then.
  let followsSettled: Bool
  /// Where the handler runs that settles the promise. Weak, so that an abandoned context is deallocated with its jobs.
  weak var context: (any ExecutionContext)?
  /// The register, if the promise is listed there.
  private let register: (any PendingList)?
  /// The list of the recorder.
  private let recorded: (any PendingList)?
  /// The number of the promise in the recording.
  let number: Int

  /// Whether the register has the promise.
  var isListed: Bool { register != nil }

  /// Creates the record of a promise or an entry that no other thread knows yet. ``add(_:)`` lists it.
  init(
    from source: AnyPromise?, in register: (any PendingList)?, recordedBy recorder: (any PromiseRecorder)?,
    _ number: Int
  ) {
    followsSettled = source.map { $0.relaxedState.isDone } ?? false
    self.register = register
    time = register?.now ?? .zero
    recorded = recorder?.pending
    self.number = number
  }

  /// Creates the record of a settled promise, which takes the place of the earlier record.
  init(of finish: Finish, after earlier: Enrollment) {
    followsSettled = false
    register = earlier.register
    time = earlier.time
    recorded = earlier.recorded
    number = earlier.number
    add(finish)
  }

  /// Lists the subject. From now on other threads read it.
  ///
  /// - Parameter subject: the promise, or the finish of a settled one.
  fileprivate func add(_ subject: AnyObject) {
    register?.add(PendingRecord(subject: subject, time: time, number: number), for: ObjectIdentifier(self))
    recorded?.add(PendingRecord(subject: subject, time: time, number: number), for: ObjectIdentifier(self))
  }

  deinit {
    register?.remove(ObjectIdentifier(self))
    recorded?.remove(ObjectIdentifier(self))
  }

  var age: Duration? { register.map { $0.now - time } }

  /// The time on the clock of the register, if that has the promise.
  var now: Duration? { register?.now }
}

extension AnyPromise {
  /// Adds this new promise, which no other thread knows yet, to the scope of the running code, and enrols it. An entry
  /// is enrolled when it is attached.
  @inline(never)
  final func noteMade() {
    joinScope()
    if relaxedState.isEntry { return }
    enroll(from: nil, on: nil)
    list(from: nil)
  }

  /// Prepares to enter this new promise into the register of pending promises, and to report it to the recorder, which
  /// ``list(from:)`` does. No other thread knows the promise yet.
  ///
  /// - Parameters:
  ///   - source: the promise from which it is derived, or which it observes.
  ///   - context: where its handler runs.
  /// - Returns: how its handler is recorded. `nil` if it is not recorded.
  @discardableResult
  final func enroll(from source: AnyPromise?, on context: (any ExecutionContext)?) -> HandlerRecord? {
    let isObserver = isObserver
    // The library's own observers have no operator. They are of no interest to a reader.
    if isObserver, traits.operation == nil { return nil }
    let register = !isObserver && relaxedState.isPending ? Diagnostics.register : nil
    let recorder = Diagnostics.isRecording ? (isObserver ? source : self)?.recorder : nil
    guard register != nil || recorder != nil else { return nil }
    let number = recorder?.nextNumber() ?? 0
    if !isObserver {
      Diagnostics.hasEnrollments = true
      let enrollment = Enrollment(from: source, in: register, recordedBy: recorder, number)
      enrollment.context = context
      locked {
        let notes = sideTable.madeNotes
        notes.enrollment = enrollment
        notes.recorder = recorder
        notes.number = number
      }
    }
    guard let recorder else { return nil }
    let name = context?.nameInReports ?? ""
    // No list has observers.
    if isObserver { recorder.record(.made(self, from: source, context: name), of: number) }
    return HandlerRecord(recorder: recorder, number: number, context: name, isAsync: context is AwaitingContext)
  }

  /// Enters this new promise into the register and reports it to the recorder, if it is enrolled. It has all that a
  /// reader looks for: if it is an entry, its source or its stage.
  @inline(never)
  final func list(from source: AnyPromise?) {
    let (enrollment, recorder) = locked { (side?.notes?.enrollment, side?.notes?.recorder) }
    guard let enrollment else { return }
    enrollment.add(self)
    recorder?.record(
      .made(self, from: source, context: enrollment.context?.nameInReports ?? ""), of: enrollment.number)
    if relaxedState.isDone { endEnrollment() }
  }

  /// The recorder of the scope of this promise, or that of the process.
  private final var recorder: (any PromiseRecorder)? { scope?.recorder ?? Diagnostics.recorder }

  /// The number of this promise in the recording of a recorder. `nil` if that has not recorded it.
  package final func number(in recorder: any PromiseRecorder) -> Int? {
    let promise = relaxedState.isClientPromise ? forwardee : self
    let (owner, number) = promise.recording
    return owner === recorder ? number : nil
  }

  /// The recorder that records this promise, if any, and the number of this promise there.
  private final var recording: (recorder: (any PromiseRecorder)?, number: Int) {
    locked { (side?.notes?.recorder, side?.notes?.number ?? 0) }
  }

  /// Ends the enrollment of this promise, which the calling thread has settled, before the entries are fired.
  ///
  /// - Parameter holdsFinish: whether the caller has a hold on the finish, which it releases afterwards.
  @inline(never)
  final func endEnrollment(holdsFinish: Bool = false) {
    let (enrollment, finish) = locked { (side?.notes?.enrollment.take(), side?.finish) }
    guard let enrollment else { return }
    if let now = enrollment.now {
      locked { side?.notes?.settledAt = now }
    }
    // It is decided for what the promise waits.
    if let finish { finish.keep(Enrollment(of: finish, after: enrollment)) }
    // A recorder takes a promise for released that it finds neither in its list nor settled.
    withExtendedLifetime(enrollment) { note(.settled(self)) }
    if let finish, finish.isHeld(besides: holdsFinish ? 1 : 0) { noteUnfinished(finish) }
  }

  /// Reports to the recorder of this promise, if it is recorded, that it has not finished, and later that it has.
  private final func noteUnfinished(_ finish: Finish) {
    let (recorder, number) = recording
    guard let recorder else { return }
    recorder.record(.unfinished, of: number)
    finish.report(to: FinishRecord(recorder: recorder, number: number))
    // Weak, because work that never ends must not retain a recorder.
    let noteFinished: @Sendable () -> Void = { [weak recorder] in recorder?.record(.finished, of: number) }
    if !finish.whenEnded(noteFinished) { noteFinished() }
  }

  final var enrollment: Enrollment? { locked { side?.notes?.enrollment } }

  /// The time since this promise was made, if the register of pending promises has it.
  package final var age: Duration? { enrollment?.age ?? currentFinish?.age }

  /// Reports an event of this promise to its recorder, if it is recorded.
  @inline(never)
  final func note(_ event: @autoclosure () -> RecordedEvent) {
    // Not to the recorder of the process, which may have been replaced meanwhile, and has other numbers.
    let (recorder, number) = recording
    recorder?.record(event(), of: number)
  }
}

/// The recorder of a promise that has not finished, and the number of the promise there.
final class FinishRecord: Sendable {
  private weak let recorder: (any PromiseRecorder)?
  private let number: Int

  init(recorder: any PromiseRecorder, number: Int) {
    self.recorder = recorder
    self.number = number
  }

  /// Reports that the promise waits for the finish of another, if the note says so. The caller has no lock.
  func report(_ note: FinishNote) {
    guard case .promise(let promise, _) = note, let promise = promise.object else { return }
    recorder?.record(.waitsForFinish(promise.resolved), of: number)
  }
}

/// An entry of a list of pending promises. Weak, so that it keeps nothing alive.
package struct PendingRecord {
  /// The promise, or the finish of a settled one.
  weak var subject: AnyObject?
  /// The time when the promise was made, on the clock of the register.
  let time: Duration
  /// The number in the recording of a recorder. 0 without a recorder.
  package let number: Int
}

/// A list of promises that are pending, or have not finished: the register, or that of a recorder. PromiseRecording
/// implements it.
package protocol PendingList: AnyObject, Sendable {
  /// Adds the record of a new promise, or of a promise that is settled and has not finished. Called under no lock.
  func add(_ record: PendingRecord, for enrollment: ObjectIdentifier)
  /// Called by `deinit` of an enrollment. No other object can have the same identifier yet.
  func remove(_ enrollment: ObjectIdentifier)
  /// The time, for the ages of promises.
  var now: Duration { get }
}

extension Diagnostics {
  private static let registerSlot = HookSlot<any PendingList>()

  /// The register of pending promises, while that is on.
  static var register: (any PendingList)? { isRegistering ? registerSlot.current : nil }

  /// Turns the register on or off.
  package static func setRegistering(_ isOn: Bool, in register: any PendingList) {
    if isOn { _ = registerSlot.replace(by: register) }
    isRegistering = isOn
  }
}

/// Receives the events of promises while it is set. PromiseRecording implements it.
///
/// Its methods are called on the threads that cause the events, under no lock. They must not use promises, except to
/// read them.
package protocol PromiseRecorder: AnyObject, Sendable {
  /// The promises that are recorded, and are pending or have not finished.
  var pending: any PendingList { get }
  /// Returns a number for a new promise or observer, from 1.
  func nextNumber() -> Int
  /// Records an event of the promise or the observer with that number.
  func record(_ event: RecordedEvent, of number: Int)
}

package enum RecordedEvent {
  /// The promise was made, from a source if it is a link or an observer. The context of its handler is empty if it has
  /// no handler.
  case made(AnyPromise, from: AnyPromise?, context: String)
  /// The handler began to run on a context with that name.
  case began(context: String, isAsync: Bool)
  case returned
  case settled(AnyPromise)
  case cancelled(reason: any Error, upstream: Bool)
  /// The promise waits for another, which its handler has returned or its owner follows.
  case waitsFor(AnyPromise)
  /// The promise waits for the finish of another.
  case waitsForFinish(AnyPromise)
  /// The promise is the result of a combinator.
  case combines(Operation, [AnyPromise])
  /// The promise is settled, and something for which it stands still runs.
  case unfinished
  /// The settled promise has finished.
  case finished
  /// The promise waits for something that is no promise.
  case waitsForResource(any AwaitedResource, AnyPromise)
  /// The operation for which the promise was a place has left its gate, or the queue.
  case leftGate
  case labeled(String)
}

/// Records a handler.
struct HandlerRecord {
  let recorder: any PromiseRecorder
  let number: Int
  let context: String
  let isAsync: Bool

  /// The body that runs in place of a body, and records that it runs.
  func recording(_ body: HandlerBody) -> HandlerBody {
    // Weak, because a promise that stays pending must not retain a recorder.
    HandlerBody { [weak recorder, number, context, isAsync] from, to in
      recorder?.record(.began(context: context, isAsync: isAsync), of: number)
      let result = body(from, to)
      if case .awaits(let operation) = result {
        return .awaits { [weak recorder] in
          let result = await operation()
          recorder?.record(.returned, of: number)
          return result
        }
      }
      recorder?.record(.returned, of: number)
      if case .adopts(let adopted) = result.firstPart {
        // Safe, because the result has a reference that is counted by hand.
        recorder?.record(.waitsFor(unsafe adopted.takeUnretainedValue()), of: number)
      }
      return result
    }
  }
}

extension Diagnostics {
  private static let recorderSlot = HookSlot<any PromiseRecorder>()

  static var recorder: (any PromiseRecorder)? { recorderSlot.current }

  /// Sets the recorder of the process. It receives the events of promises that are made afterwards.
  package static func setRecorder(_ recorder: (any PromiseRecorder)?) {
    _ = recorderSlot.change { old in
      if (old == nil) != (recorder == nil) { recorder == nil ? recordingEnded() : recordingBegan() }
      return recorder
    }
  }

  /// Removes the recorder of the process, unless it is another one.
  package static func removeRecorder(_ recorder: any PromiseRecorder) {
    _ = recorderSlot.change { old in
      guard old === recorder else { return old }
      recordingEnded()
      return nil
    }
  }
}

// MARK: - What a recorder reads

extension AnyPromise {
  /// The name of the operator that made this promise or observer. `nil` if an owner settles it.
  package final var operationName: String? { operation?.name }

  /// Whether this is an observer, which is never settled.
  package final var isRecordedObserver: Bool { isObserver }

  /// The type of the promise.
  package final var recordedType: String { typeText }

  /// The error of this settled promise, or its value if that is described, in one line.
  package final func recordedText(describingValue: Bool) -> String? {
    guard let error = storedError else { return describingValue ? valueText : nil }
    return oneLine(error)
  }
}
