// With APPLE_FAKES it is compiled into Tests/AppleBranchTests, with a stand-in for the activities of ProcessInfo.
#if canImport(ObjectiveC) || APPLE_FAKES
  public import Foundation
  public import PromiseContexts

  extension Promise {
    /// Tells the system until the promise is settled that something is being done, so that it does not put the process to sleep,
    /// or end it (reference row H8).
    ///
    /// - Parameters:
    ///   - options: what the system is not to do meanwhile.
    ///   - reason: why, for whoever wonders.
    /// - Returns: this promise. It is no consumer (rule 4.0).
    @discardableResult
    public func holdingActivity(
      _ options: ProcessInfo.ActivityOptions = .userInitiated, reason: String
    ) -> Promise {
      guard isPending else { return self }
      // Safe: a token, which is only handed back.
      nonisolated(unsafe) let activity = ProcessInfo.processInfo.beginActivity(options: options, reason: reason)
      whenSettled { unsafe ProcessInfo.processInfo.endActivity(activity) }
      return self
    }
  }
#endif
