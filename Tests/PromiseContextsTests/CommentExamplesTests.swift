import Foundation
import TestSupport
import Testing

// Holds the examples in the comments of PromiseCore and PromiseContexts, word for word. `make lint` compares them.

private struct MyError: Error {}

private struct User: Codable, Equatable, Sendable {
  var name = "Ada"
}

@MainActor private final class Total {
  var total = 0
}

private final class Request: Sendable {
  let isStopped = Locked(false)
  func stop() { isStopped.withLock { $0 = true } }
}

private enum Span {
  @TaskLocal static var current = "none"
}

private let context = ManualContext()

private func load() -> Promise<Int> { .fulfilled(7) }

/// Separates this `Screen` from the class of the same name in another file.
private enum Bound {
  final class Screen: CancelBagOwner, Sendable {
    let cancelBag = CancelBag()

    func refresh() {
      load().bound(to: self).onFulfilled(on: context) { [weak self] page in self?.show(page) }
    }
  }
}

private let shown = Log<Int>()

extension Bound.Screen {
  fileprivate func show(_ page: Int) { shown.append(page) }
}

/// Shows the start of a program. No test calls this function, because the hooks are those of the whole process.
private func installHooks() {
  Diagnostics.onUnhandledRejection { print($0) }
  Diagnostics.onSecondSettlement { if !$0.wasCancelled { print($0) } }
}

private func carrySpans() {
  struct SpanContext: CarriedContext {
    let span = Span.current
    func run(_ handler: () -> Void) { Span.$current.withValue(span) { handler() } }
    nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async {
      await Span.$current.withValue(span) { await handler() }
    }
  }

  Diagnostics.carryContext { SpanContext() }
}

@Suite("Examples in the comments of PromiseCore and PromiseContexts", .bounded) struct CommentExamplesTests {
  let queue = DispatchQueue(label: "examples")

  @MainActor
  @Test("The example of views changes the state of the main actor")
  func views() async {
    let promise = Promise.fulfilled(1)
    let screen = Total()
    promise.on(queue)
      .map { $0 + 1 }  // on the queue
      .tap { print($0) }  // on the queue
      .on(.main)
      .tap { screen.total = $0 }  // on the main actor
    #expect(await eventually { screen.total == 2 })
  }

  @Test("The examples of async links, tasks and values deliver their values")
  func async() async throws {
    @Sendable func download(_ url: String) async throws -> Data { Data(url.utf8) }
    struct Server: Sendable {
      func user(_ id: Int) async throws -> User { User(name: "\(id)") }
    }
    let url = Promise.fulfilled("abc")
    let server = Server()
    let id = 7
    let image = url.asyncMap { try await download($0) }
    #expect(try await image.value.count == 3)
    do {
      let user = Promise.task { try await server.user(id) }
      #expect(try await user.value.name == "7")
    }
    let promise = Promise.fulfilled(User())
    let user = try await promise.value
    #expect(user == User())
  }

  @Test("The examples of links that wait for a step settle after it", .rule("2.6", "2.10"))
  func cleanup() async throws {
    struct Connection: Sendable {
      let log = Log<String>()
      func query(_ text: String) -> Promise<[String]> { .fulfilled([text]) }
      func rollBack() -> Promise<Void> { Promise.run { log.append("rolled back") } }
      func reset() async { log.append("reset") }
    }
    struct Form: Sendable { func submit() -> Promise<Int> { .fulfilled(7) } }
    struct Mail: Sendable { func sendReceipt(for order: Int) -> Promise<Void> { .fulfilled(()) } }
    let form = Form()
    let mail = Mail()
    let order = form.submit().tapThen { order in mail.sendReceipt(for: order) }
    #expect(try await order.value == 7)
    do {
      struct Form: Sendable { func submit() -> Promise<Int> { .rejected(TestError(7)) } }
      struct Server: Sendable {
        let log = Log<String>()
        func report(_ text: String) -> Promise<Void> { Promise.run { log.append(text) } }
      }
      let form = Form()
      let server = Server()
      let order = form.submit().catchThen { error in server.report("\(error)") }
      let error = await #expect(throws: TestError.self) { try await order.value }
      #expect(server.log.entries == error.map { ["\($0)"] })
    }
    let connection = Connection()
    let text = "abc"
    do {
      let rows = connection.query(text).alwaysThen { _ in connection.rollBack() }
      #expect(try await rows.value == ["abc"])
    }
    let rows = connection.query(text).asyncAlways { _ in await connection.reset() }
    #expect(try await rows.value == ["abc"] && connection.log.entries == ["rolled back", "reset"])
  }

  @Test("The examples of finished promises and of awaited hooks wait for the connection", .rule("2.11", "4.5"))
  func finished() async throws {
    struct Page: Sendable {}
    struct Connection: Sendable {
      let log = Log<String>()
      func rollBack() -> Promise<Void> { Promise.run { log.append("rolled back") } }
      func shutDown() async { log.append("shut down") }
    }
    let connection = Connection()
    do {
      let deferred = Deferred<Page>()
      deferred.onCancelThen { _ in connection.rollBack() }
      deferred.asyncOnCancel { _ in await connection.shutDown() }
      let server = deferred.promise
      try await server.cancelAndFinish()
      #expect(connection.log.entries.sorted() == ["rolled back", "shut down"])
    }
    do {
      let deferred = Deferred<Page>()
      deferred.onEndThen { _ in connection.rollBack() }
      deferred.fulfill(Page())
      try await deferred.promise.whenFinished().value
      #expect(connection.log.entries.count == 3)
    }
    let removed = Log<Bool>()
    @Sendable func removeFile() { removed.append(true) }
    let upload = Deferred<Page>().promise
    upload.cancel(upstream: true)
    upload.whenFinished().onFulfilled(on: context) { removeFile() }
    context.runUntilIdle()
    #expect(removed.entries == [true])
  }

  @Test("The examples of owners, bound promises, hooks and shields behave as described")
  func owners() {
    let screen = Bound.Screen()
    screen.refresh()
    context.runUntilIdle()
    #expect(shown.entries == [7])
    do {
      func start(_ completion: @escaping @Sendable (Data) -> Void) -> Request { Request() }
      let deferred = Deferred<Data>()
      let request = start { data in deferred.fulfill(data) }
      deferred.onCancel { [weak request] _ in request?.stop() }
      deferred.promise.cancel()
      #expect(request.isStopped.withLock { $0 })
    }
    do {
      let deferred = Deferred<Data>()
      func load() -> Promise<Data> { deferred.promise.shielded() }
      load().cancel()
      #expect(deferred.promise.isPending)
    }
    @Sendable func startLoading(_ completion: @escaping @Sendable (Data) -> Void) { completion(Data([1])) }
    func load() -> Promise<Data> {
      let deferred = Deferred<Data>()
      startLoading { data in deferred.fulfill(data) }
      return deferred.promise
    }
    #expect(load().isFulfilled)
  }

  @Test("The example of `onEnd` closes the file that the owner has opened", .rule("4.5"))
  func ended() throws {
    struct File: Sendable {
      let isClosed = Log<Bool>()
      func close() { isClosed.append(true) }
    }
    func open(_ path: String) throws -> File { File() }
    let path = "notes"
    try TestWorld.run { world in
      let file = try open(path)
      let deferred = Deferred<Int>()
      deferred.onEnd { _ in file.close() }
      deferred.fulfill(1)
      world.runUntilIdle()
      #expect(file.isClosed.entries == [true])
    }
  }

  @Test("The scoped example of diagnostics reports a rejection, and the other examples compile", .rule("7.1", "8.3"))
  func diagnostics() {
    let log = Log<UnhandledRejection>()
    Diagnostics.scoped(unhandledRejection: log.append) { _ = Promise<Int>.rejected(MyError()) }
    #expect(log.entries.count == 1)
    _ = (installHooks, carrySpans)
  }

  @Test("The example of work that goes on is reported in a debug build", .rule("4.4"))
  func unstoppedWork() async throws {
    struct Page: Sendable { let title: String }
    struct Session: Sendable {
      let gate: Promise<Void>
      func page(at url: String) async throws -> Page {
        try await gate.value
        return Page(title: url)
      }
    }
    let gate = Deferred<Void>()
    let session = Session(gate: gate.promise)
    let url = "weather"
    let log = Log<UnstoppedWork>()
    let going = Diagnostics.scoped(unstoppedWork: log.append) {
      let page = Promise.task { try await session.page(at: url) }
      let title = page.map { page in page.title }
      title.cancel()  // The Task of `page` goes on. `title.cancel(upstream: true)` stops it.
      return page
    }
    #if DEBUG
      #expect(log.entries.map(\.createdAt) == [going.createdAt])
    #else
      #expect(log.entries.isEmpty)
    #endif
    gate.fulfill(())
    #expect(try await going.value.title == url)
  }

  @Test("The example of progress ends with the final fraction", .rule("5.3"))
  func progress() async throws {
    let deferred = Deferred<Int>()
    let download = deferred.promise
    download.onProgress(on: queue) { print("\(Int(100 * $0)) %") }
    struct Bar {
      var fraction = 0.0
    }
    var bar = Bar()
    deferred.report(progress: 0.5)
    deferred.fulfill(1)
    for await fraction in download.progressUpdates { bar.fraction = fraction }
    #expect(bar.fraction == 1)
  }

  @Test("The examples of making promises deliver their values")
  func making() async throws {
    let deferred = Deferred<Int>()
    let text = deferred.promise.map(on: queue) { "\($0 + 1)" }
    deferred.fulfill(41)
    #expect(try await text.value == "42")
    let data = Data(#"{"name": "Ada"}"#.utf8)
    let parsed = Promise(catching: { try JSONDecoder().decode(User.self, from: data) })
    #expect(parsed.state.value == User())
    func fetch(_ url: String, completion: @escaping @Sendable (Data?, (any Error)?) -> Void) { completion(Data(), nil) }
    let url = "abc"
    let answer = Promise<Data> { deferred in fetch(url, completion: deferred.resolve) }
    #expect(answer.isFulfilled)
  }

  private struct Form: Sendable { let age = Promise.fulfilled(17) }

  @Test("An error code matches its error in a catch clause and in a comparison")
  func codes() async {
    let shown = Log<String>()
    func show(_ value: Int) { shown.append("\(value)") }
    func showOffline() { shown.append("offline") }
    let promise = Promise<Int>.rejected(PromiseError.timedOut(createdAt: CreationSite()))
    do {
      do {
        show(try await promise.value)
      } catch PromiseError.Code.timedOut {
        showOffline()
      }
    } catch {
      Issue.record("\(error)")
    }
    #expect(shown.entries == ["offline"])
    #expect(PromiseError.Code(promise.error) == .timedOut)
  }

  @Test("The example of markCancelled counts a closed dialog as a cancellation")
  func dialog() {
    struct PickerDismissed: Error {}
    struct Picker {
      func photo() -> Promise<String> { .rejected(PickerDismissed()) }
    }
    let world = TestWorld()
    let picker = Picker()
    world.run {
      let photo = picker.photo().markCancelled { error in error is PickerDismissed }
      world.runUntilIdle()
      #expect(photo.isCancelled)
      #expect(photo.error is PickerDismissed)
    }
  }

  @Test("The examples of recoverFailure, rescueFailure and catchFailure(only:) see a failure")
  func failures() {
    struct Offline: Error { let since = 7 }
    struct Pictures {
      let error: any Error
      func picture(of user: Int) -> Promise<String> { .rejected(error) }
    }
    let world = TestWorld()
    let shown = Log<String>()
    @Sendable func show(_ text: String) { shown.append(text) }
    world.run {
      let user = 1
      let placeholder = "placeholder"
      let server = Pictures(error: Offline())
      let cache = Pictures(error: TestError(1))
      do {
        let picture = server.picture(of: user).recoverFailure { _ in placeholder }
        world.runUntilIdle()
        #expect(picture.state.value == "placeholder")
      }
      do {
        let picture = cache.picture(of: user).rescueFailure { _ in server.picture(of: user) }
        world.runUntilIdle()
        #expect(picture.error is Offline)
      }
      let search = Promise<Int>.rejected(Offline())
      search.catchFailure(only: Offline.self) { error in show("offline since \(error.since)") }
      world.runUntilIdle()
      #expect(shown.entries == ["offline since 7"])
    }
  }

  @Test("The examples of validate, dump and catchFailure handle an invalid value, a valid value and an error")
  func links() {
    let world = TestWorld()
    let form = Form()
    let search = Promise<Int>.rejected(TestError(1))
    let shown = Log<String>()
    @Sendable func show(_ text: String) { shown.append(text) }
    enum LoadError: Error { case notFound, notAllowed }
    @Sendable func user(_ number: Int) -> Promise<User> { .fulfilled(User()) }
    world.run {
      do {
        let search = Promise<Int>.rejected(LoadError.notAllowed)
        search.catch(only: LoadError.self, where: { $0 == .notFound }, { _ in show("there is none") })
        world.runUntilIdle()
        #expect(shown.entries.isEmpty)
      }
      let age = form.age.validate(message: "a user must be an adult") { $0 >= 18 }
      let name = user(1).dump("user").map { $0.name }.dump()
      search.catchFailure { error in show("no results: \(error)") }
      world.runUntilIdle()
      #expect(shown.entries.count == 1)
      #expect(age.failure?.code == .validationFailed)
      #expect(name.state.value == "Ada")
    }
  }
}
