#if canImport(FoundationNetworking)
  import Foundation

  /// The delegate queue of a session that sends a single request, whose response is streamed.
  ///
  /// Foundation adds each piece of a body on the thread on which libcurl reads. On a busy machine the queue may run
  /// much later. So the pieces that wait in the queue count, too, when the session is paused.
  ///
  /// `@unchecked Sendable`, because the only field is constant and `Sendable`.
  final class PacedQueue: OperationQueue, @unchecked Sendable {
    private let body: BodyStream

    init(for body: BodyStream) {
      self.body = body
      super.init()
      maxConcurrentOperationCount = 1
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
      body.addWaitingCall()
      super.addOperation(
        BlockOperation { [body] in
          block()
          body.removeWaitingCall()
        })
    }
  }
#endif
