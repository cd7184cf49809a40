// With APPLE_FAKES this file is compiled into Tests/AppleBranchTests, with a fake of UIKit.
#if canImport(UIKit) && !os(watchOS) || APPLE_FAKES
  public import PromiseContexts
  #if canImport(UIKit)
    import UIKit
  #endif

  // App extensions have no application object. Without these attributes, the module would not compile for an extension.
  @available(iOSApplicationExtension, unavailable)
  @available(tvOSApplicationExtension, unavailable)
  @available(visionOSApplicationExtension, unavailable)
  @available(macCatalystApplicationExtension, unavailable)
  extension Promise {
    /// Asks the system for time in the background to settle this promise after the user has left the app.
    ///
    /// If the time is over before the promise is settled, its root is cancelled with a ``BackgroundTimeExpiredError``
    /// as the reason. This also cancels all promises that are derived from the root. App extensions cannot use this,
    /// because they have no application object.
    ///
    /// - Parameter name: the name of the background task, for debuggers.
    /// - Returns: this promise. The background task does not count as a consumer (rule 4.0).
    @MainActor @discardableResult
    public func protectedInBackground(named name: String) -> Promise {
      guard isPending else { return self }
      // The owner's promise. This promise may be another one, which is released before the owner's promise is settled
      // (`Deferred(cancelsWithoutClients: true)`).
      let task = BackgroundTask(named: name) { [weak promise = resolved] in
        promise?.root.cancel(reason: BackgroundTimeExpiredError())
      }
      whenSettled { _ = Promise<Void>.run(on: .main) { task.end() } }
      return self
    }
  }

  /// A background task of the app. It ends once.
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
