#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  // A session on Linux (Swift 6.3.1) truncates an idle time to whole seconds, fails at once if the result is 0, and
  // traps if the time is extremely long.

  extension TimeInterval {
    /// This idle time in whole seconds, rounded up. At least one second and at most a hundred years.
    var inWholeSeconds: TimeInterval { Swift.min(Swift.max(rounded(.up), 1), 100 * 366 * 86_400) }
  }

  extension URLRequest {
    /// Rounds the idle time of this request to whole seconds.
    mutating func roundIdleTime() {
      // An assignment of the same time would replace the idle time of the session, which is used if the request has
      // none.
      if timeoutInterval != timeoutInterval.inWholeSeconds { timeoutInterval = timeoutInterval.inWholeSeconds }
    }
  }
#endif
