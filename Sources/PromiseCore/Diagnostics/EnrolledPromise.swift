/// A promise in a list of pending promises, which is pending, or has not finished.
package struct EnrolledPromise: Sendable {
  private enum Phase {
    case pending(AnyPromise)
    /// Settled. The promise may be deallocated.
    case unfinished(Finish)
  }

  private let phase: Phase
  /// The time when the promise was made, on the clock of the register.
  package let time: Duration
  /// The number in the recording of a recorder. 0 without a recorder.
  package let number: Int

  /// `nil` if the promise is settled and this is not the record of its finish, or if it has finished.
  package init?(_ record: PendingRecord) {
    let subject = record.subject
    if let finish = subject as? Finish, !finish.isEnded {
      phase = .unfinished(finish)
    } else if let promise = subject as? AnyPromise, promise.isPending {
      phase = .pending(promise)
    } else {
      return nil
    }
    time = record.time
    number = record.number
  }

  var awaited: Awaited {
    switch phase {
    case .pending(let promise): .promise(promise.resolved)
    case .unfinished(let finish): .finish(finish)
    }
  }

  /// Whether it is pending. Otherwise it is settled, and has not finished.
  package var isPending: Bool { if case .pending = phase { true } else { false } }

  /// The place where it was made, what has made it, and its label. An owner has no operation, unless it waits for a
  /// resource that says more.
  package var origin: (site: CreationSite, operation: Operation?, label: String?) {
    switch phase {
    case .pending(let promise):
      return (promise.createdAt, promise.operation ?? promise.resourceMaker, promise.label)
    case .unfinished(let finish):
      let subject = finish.subject
      return (CreationSite(subject.site), subject.operation ?? (finish.isOfTask ? .task : nil), subject.label)
    }
  }

  /// The promise, with everything for which it waits.
  package var waitNode: WaitNode {
    switch phase {
    case .pending(let promise): promise.waitNode(note: nil, waitsFor: promise.waitsFor)
    case .unfinished(let finish): finish.waitNode(waitsFor: finish.waitsFor)
    }
  }
}
