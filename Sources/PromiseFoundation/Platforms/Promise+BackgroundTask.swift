// With APPLE_FAKES it is compiled into Tests/AppleBranchTests, with a stand-in for UIKit.
#if canImport(UIKit) && !os(watchOS) || APPLE_FAKES
  public import PromiseContexts
  #if canImport(UIKit)
    import UIKit
  #endif

  // Extensions have no application: without this whoever builds for one could not compile the module.
  @available(iOSApplicationExtension, unavailable)
  @available(tvOSApplicationExtension, unavailable)
  @available(visionOSApplicationExtension, unavailable)
  @available(macCatalystApplicationExtension, unavailable)
  extension Promise {
    /// Asks the system for time to settle this promise after the user has left the app (reference row H8, RXPromise's
    /// `makeBackgroundTaskWithName:`).
    ///
    /// If the time is over before that, the root of the promise is cancelled, and so everything made from it, with a
    /// ``BackgroundTimeExpiredError`` as its reason. Not for app extensions, which have no application.
    ///
    /// - Parameter name: for debuggers.
    /// - Returns: this promise. It is no consumer (rule 4.0).
    @MainActor @discardableResult
    public func protectedInBackground(named name: String) -> Promise {
      guard isPending else { return self }
      let task = BackgroundTask(named: name) { [weak self] in
        guard let self else { return }
        root.cancel(reason: BackgroundTimeExpiredError())
      }
      whenSettled { _ = Promise<Void>.run(on: .main) { task.end() } }
      return self
    }
  }

  /// The system's word that the app may go on for a while. Ends once.
  @available(iOSApplicationExtension, unavailable)
  @available(tvOSApplicationExtension, unavailable)
  @available(visionOSApplicationExtension, unavailable)
  @available(macCatalystApplicationExtension, unavailable)
  @MainActor
  private final class BackgroundTask {
    private var identifier = UIBackgroundTaskIdentifier.invalid

    init(named name: String, expired: @escaping @MainActor @Sendable () -> Void) {
      identifier = UIApplication.shared.beginBackgroundTask(withName: name) { [weak self] in
        expired()
        self?.end()
      }
    }

    func end() {
      guard identifier != .invalid else { return }
      UIApplication.shared.endBackgroundTask(identifier)
      identifier = .invalid
    }
  }
#endif
