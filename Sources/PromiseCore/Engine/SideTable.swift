/// The fields that few promises need. Created on first use, so that an ordinary promise pays one word for it. The Swift
/// runtime has the same name for the rarely needed fields of an object.
///
/// A side table belongs to one promise, and is guarded by the lock of that promise. Closures are taken out under the
/// lock, and are run or released outside (rule 6.5).
///
/// `@unchecked Sendable`, because of that lock.
final class SideTable: @unchecked Sendable {
  /// Entries that were attached while the settling thread fires the list.
  @safe @exclusivity(unchecked) var late = EntryList()
  var hooks: [OwnerHook] = []
  /// By which the promise follows others, on behalf of its owner (rule 3.4).
  var follows: [Follower] = []
  /// The combination of which the promise is the result, until it has ended.
  var combination: Combination?
  var progress = ProgressState()
  /// The weight of the chain, if the word of the promise has no room for it. Constant since other threads know the
  /// promise.
  var weight = 1.0
  /// The client promise, if the owner observes its clients, see `ClientPromise.swift`.
  weak var clientPromise: AnyPromise?
  /// The client promise was released, and no client has asked for one since.
  var isUnobserved = false
  /// The promise was cancelled because its last consumer had given it up, or had left it unobserved.
  var wasGivenUp = false
  /// A rejection of the promise, past or future, counts as handled: the promise was an input of a combinator that
  /// discarded it (rule 7.1).
  var isHandledInAdvance = false
  /// `finish` waits until the handler of this entry has ended.
  var holdsFinish = false
  /// What the promise waits for before it has finished (rule 2.11). For an observer, that of the promise whose handler
  /// it runs. `nil` for most promises, which have finished when they are settled.
  var finish: Finish?
  /// The scope that receives the report on the rejection of the promise, instead of the hooks of the process.
  var scope: DiagnosticsScope?
  /// Shared by the promises that are rejected because one ring was closed.
  var ringReport: RingReport?
  /// The timer or the Task that will settle the promise. An `AwaitedResource`, which is found out when a description
  /// asks, because a cast is expensive.
  var awaited: (any AnyObject & Sendable)?
  var notes: DiagnosticNotes?
  #if DEBUG
    var mapResultUse = MapResultUse()
  #endif
}

/// The fields of a promise that only diagnostics need. A promise has them if it has a label, if it was rejected or
/// waits past bypassed promises while rejections were traced, or if it is enrolled.
///
/// `@unchecked Sendable`, because they are guarded by the lock of the promise.
final class DiagnosticNotes: @unchecked Sendable {
  /// The label that the program has given the promise.
  var label: String?
  var trail: RejectionTrail?
  /// The promises that were bypassed between this entry and the promise for which it waits.
  var bypassed = RejectionSteps()
  /// The record of the promise in the register of pending promises, or for a recorder, until the promise is settled.
  var enrollment: Enrollment?
  /// The recorder that records the promise. Weak, because the promise may live longer than the recording.
  weak var recorder: (any PromiseRecorder)?
  /// The number of the promise in the recording of that recorder.
  var number = 0
  /// The time on the clock of the register when the promise was settled, if the register had it.
  var settledAt: Duration?
}

extension SideTable {
  /// The notes, which are created if there are none.
  var madeNotes: DiagnosticNotes {
    if let notes { return notes }
    let new = DiagnosticNotes()
    notes = new
    return new
  }

  /// Takes out what the promise does not need any more once it is settled.
  ///
  /// - Parameters:
  ///   - promise: the promise, which is locked.
  ///   - isCancelled: whether a cancellation settles the promise, which has held the finish for the hooks.
  func takeLeftovers(of promise: AnyPromise, isCancelled: Bool) -> Leftovers {
    let audience = progress.end()
    if !isCancelled { promise.holdFinishForHooks(afterCancelling: false) }
    // The hook that stops the timer or the Task retains it, too, and is released outside the section.
    awaited = nil
    defer {
      hooks = []
      follows = []
      combination = nil
    }
    return Leftovers(hooks: hooks, follows: follows, combination: combination, finish: finish, audience: audience)
  }
}

/// The contents of a side table that the settling thread has taken out. They are told, left or released after the
/// section.
struct Leftovers {
  var hooks: [OwnerHook]
  var follows: [Follower]
  var combination: Combination?
  /// Has a hold until it is decided for what the promise waits.
  var finish: Finish?
  /// The observers of progress, which receive the last value before any handler is scheduled (rule 5.2).
  let audience: ProgressState.Audience?

  /// Informs those that learn of the settlement before the entries are fired.
  func announceEnd(of promise: AnyPromise) {
    if Diagnostics.hasEnrollments { promise.endEnrollment(holdsFinish: finish != nil) }
    audience?.end(promise)
  }
}
