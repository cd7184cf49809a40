// With APPLE_FAKES this file is compiled into Tests/AppleBranchTests, with a fake of the activities of ProcessInfo.
#if canImport(ObjectiveC) || APPLE_FAKES
  public import Foundation
  public import PromiseContexts

  extension Promise {
    /// Holds an activity of the process until the promise is settled, so that the system does not suspend or end the
    /// process.
    ///
    /// - Parameters:
    ///   - options: the things that the system must not do during the activity.
    ///   - reason: the reason for the activity, which tools of the system show.
    /// - Returns: this promise. The activity does not count as a consumer (rule 4.0).
    @discardableResult
    public func holdingActivity(
      _ options: ProcessInfo.ActivityOptions = .userInitiated, reason: String
    ) -> Promise {
      guard isPending else { return self }
      // Safe, because the token is only passed back to the system.
      nonisolated(unsafe) let activity = ProcessInfo.processInfo.beginActivity(options: options, reason: reason)
      whenSettled { unsafe ProcessInfo.processInfo.endActivity(activity) }
      return self
    }
  }
#endif
