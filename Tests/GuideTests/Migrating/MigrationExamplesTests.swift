import PromiseCombinators
import TestSupport
import Testing

// The examples that begin the migration guides.

private struct ObserversExample: Sendable {
  let server: PictureServer
  let screen: PictureScreen

  func show(_ id: Int) {
    server.user(id)
      .then { user in server.picture(of: user) }
      .onFulfilled(on: .main) { picture in screen.picture = picture }
      .onRejected(on: .main) { error in screen.message = "\(error)" }
  }
}

private struct GooglePromisesExample: Sendable {
  let server: PictureServer
  let screen: PictureScreen

  func show(_ id: Int) {
    server.user(id)
      .then { user in server.picture(of: user) }
      .on(.main)
      .tap { picture in screen.picture = picture }
      .catch { error in screen.message = "\(error)" }
      .always { _ in screen.isBusy = false }
  }
}

private struct PromiseKitExample: Sendable {
  let server: PictureServer
  let screen: PictureScreen

  func show(_ id: Int) {
    server.user(id)
      .then { user in server.picture(of: user) }
      .on(.main)
      .tap { picture in screen.picture = picture }
      .always { _ in screen.isBusy = false }
      .catchFailure { error in screen.message = "\(error)" }
  }
}

@Suite("The examples of the migration guides") struct MigrationExamplesTests {
  /// The guides that have an example of their own. Two guides share the example with observers.
  enum Guide: CaseIterable, Sendable { case completionHandlersAndRXPromise, googlePromises, promiseKit }

  @Test("The example shows the picture or the error", .rule("2.3"), arguments: Guide.allCases, [false, true])
  @MainActor func example(_ guide: Guide, isOffline: Bool) throws {
    try TestWorld.run { world in
      let server = PictureServer(isOffline: isOffline)
      let screen = PictureScreen()
      switch guide {
      case .completionHandlersAndRXPromise: ObserversExample(server: server, screen: screen).show(7)
      case .googlePromises: GooglePromisesExample(server: server, screen: screen).show(7)
      case .promiseKit: PromiseKitExample(server: server, screen: screen).show(7)
      }
      world.runUntilIdle()
      #expect(screen.picture == (isOffline ? "" : "picture of user 7"))
      #expect(screen.message.isEmpty == !isOffline)
      // The example with observers does not use this property.
      #expect(screen.isBusy == (guide == .completionHandlersAndRXPromise))
    }
  }
}
