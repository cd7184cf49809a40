import PromiseCombinators
import TestSupport
import Testing

// Holds the examples in the comments of PromiseCombinators, word for word. `make lint` compares them.

private typealias URL = String

private struct Page: Sendable { var size = 10 }

private struct Image: Sendable, Equatable {
  static let placeholder = Image()
  var name = "placeholder"
}

private struct User: Sendable { var name = "Ada" }
private struct Settings: Sendable, Equatable { var size = 12 }
private struct TooSlow: Error {}
private struct Busy: Error { let retryAfter: Duration }

private struct Server: Sendable {
  func load(_ url: URL) -> Promise<Page> { .fulfilled(Page(size: url.count)) }
  func upload(_ photo: Int) -> Promise<Void> { .fulfilled(()) }
  func user(_ id: Int) async throws -> User { User() }
  func send(_ chunk: String) -> Promise<Void> { .fulfilled(()) }
  func order(_ name: String) -> Promise<String> { .fulfilled(name) }
  func settings(at url: URL) throws -> Promise<Settings> { .fulfilled(Settings(size: 14)) }
}

private struct Dialog: Sendable {
  func confirm(_ text: String) -> Promise<Bool> { .fulfilled(true) }
}

private struct Pool: Sendable {
  let log = Log<String>()

  func connect() -> Promise<Connection> { .fulfilled(Connection()) }
  func takeBack(_ connection: Connection) -> Promise<Void> { Promise.run { log.append("taken back") } }
  func openConnection() async throws -> Connection { Connection() }
  func closeConnection(_ connection: Connection) async { log.append("closed") }
}

private struct Connection: Sendable {
  func query(_ text: String) -> Promise<[String]> { .fulfilled([text]) }
  func rows(_ text: String) async throws -> [String] { [text] }
}

private let server = Server()
private func load(_ url: URL) -> Promise<Page> { server.load(url) }
private func render(_ photo: Int) async throws -> Image { Image(name: "\(photo)") }
private func sequence<Element: Sendable>(_ elements: [Element]) -> AsyncStream<Element> {
  AsyncStream { continuation in
    for element in elements { continuation.yield(element) }
    continuation.finish()
  }
}

@Suite("Examples in the comments of PromiseCombinators") struct ExamplesTests {
  let world = TestWorld()
  private let urls = ["a", "bc", "def"]
  private let url = "abcd"

  @discardableResult
  private func end<Value>(_ promise: Promise<Value>) -> Value? { try? world.run(until: promise) }

  @Test("The examples of all and traverse give the expected results")
  func many() {
    world.run {
      let user = Promise.fulfilled(User())
      let orders = Promise.fulfilled([1, 2])
      let title = Promise.all(user, orders).map { user, orders in "\(user.name): \(orders.count) orders" }
      #expect(end(title) == "Ada: 2 orders")
      do {
        let pages = Promise.all(urls.map(load))
        #expect(end(pages)?.map(\.size) == [1, 2, 3])
      }
      do {
        let pages = Promise.traverse(urls, concurrency: 4) { url in server.load(url) }
        #expect(end(pages)?.map(\.size) == [1, 2, 3])
      }
    }
  }

  @Test("The examples of dictionaries and of enumerated promises give the expected results")
  func named() {
    let near = "a"
    let far = "bc"
    let mirrors = ["a", "b"]
    let drafts = ["one": 1, "two": 2]
    @Sendable func save(_ number: Int) -> Promise<Int> { number == 2 ? .rejected(TestError(2)) : .fulfilled(number) }
    world.run {
      let cache = Promise<Page>.deferred()
      let cached = cache.promise
      let pages = Promise.all(["front": load("/"), "news": load("/news")])
      #expect(end(pages)?.mapValues(\.size) == ["front": 1, "news": 5])
      let saved = Promise.allSettled(drafts.mapValues(save))
      #expect(end(saved)?.mapValues { try? $0.get() } == ["one": 1, "two": nil])
      do {
        let page = Promise.any(["near": load(near), "far": load(far)])
        page.onFulfilled { print("\($0.key) has answered first") }
        #expect(["near", "far"].contains(end(page)?.key))
      }
      do {
        let page = Promise.any(enumerating: mirrors.map(load))
        page.onFulfilled { print("mirror \($0.offset) has answered first") }
        #expect(end(page)?.offset == 0)
      }
      do {
        let page = Promise.race(["cache": cached, "network": load(url)])
        withExtendedLifetime(cache) { #expect(end(page)?.key == "network") }
      }
      let page = Promise.race(enumerating: mirrors.map(load))
      #expect(end(page)?.offset == 0)
    }
  }

  @Test("The examples of any, race and allSettled give the expected results")
  func first() {
    let mirrors = ["a", "b"]
    let documents = [1, 2, 3]
    let replicas = [1, 2, 3]
    let download = Promise<Image>.deferred().promise.shielded()
    let placeholder = Image.placeholder
    @Sendable func save(_ number: Int) -> Promise<Int> { number == 2 ? .rejected(TestError(2)) : .fulfilled(number) }
    let write = save
    world.run {
      let page = Promise.any(mirrors.map(load))
      #expect(end(page)?.size == 1)
      do {
        let original = load("b")
        let mirror = load("a")
        do {
          let page = Promise.any(mirror, original)
          #expect(end(page)?.size == 1)
        }
        let image = Promise.race(download, .after(.seconds(5), fulfill: placeholder))
        #expect(end(image) == nil, "nobody owns the download")
        struct Page { init(_ user: Result<User, any Error>, _ orders: Result<[Int], any Error>) {} }
        let user = Promise.fulfilled(User())
        let orders = Promise<[Int]>.rejected(TestError(1))
        let page = Promise.allSettled(user, orders).map { user, orders in Page(user, orders) }
        #expect(end(page) != nil)
      }
      let image = Promise.race([download, .after(.seconds(5), fulfill: placeholder)])
      #expect(end(image) == nil, "nobody owns the download")
      let saved = Promise.allSettled(documents.map(save))
      let count = saved.map { results in results.count { (try? $0.get()) != nil } }
      #expect(end(count) == 2)
      let written = Promise.allSettled(replicas.map(write), atLeast: 2)
      #expect(end(written)?.count == 3)
    }
  }

  @Test("The example of a wait that gives its promise up gives the expected result", .rule("4.7"))
  func awaiting() async throws {
    let page = try await server.load(url).value(cancelsSource: true)
    #expect(page.size == 4)
  }

  @Test("The examples of after, delay and timeout give the expected results")
  func timing() {
    world.run {
      let placeholder = Promise.after(.milliseconds(200), fulfill: Image.placeholder)
      #expect(end(placeholder) == Image())
      let hurry = Promise<Image>.after(.seconds(5), reject: TooSlow())
      #expect(end(hurry) == nil)
      #expect(hurry.isRejected)
      let shown = load(url).delay(.milliseconds(300))
      #expect(end(shown)?.size == 4)
      let page = load(url).timeout(.seconds(5))
      #expect(end(page)?.size == 4)
      let answer = Deferred<Page>()
      answer.timeout(.seconds(30))
      #expect(end(answer.promise) == nil)
      #expect(answer.promise.failure?.code != nil)
    }
  }

  @Test("The examples of forEach, repeat, reduce, chain, join and relay give the expected results")
  func loops() {
    let photos = [1, 2, 3]
    let source = Blocks()
    let target = source
    let raw = [1]
    let denoise: @Sendable ([Int]) -> Promise<[Int]> = { .fulfilled($0 + [2]) }
    let sharpen = denoise
    let compress = denoise
    let choice = Promise.fulfilled("abc")
    let answer = Deferred<Page>()
    world.run {
      let uploaded = Promise.forEach(photos) { photo in server.upload(photo) }
      end(uploaded)
      let copied = Promise.repeat {
        guard let block = try source.nextBlock() else { return nil }
        return target.write(block)
      }
      end(copied)
      #expect(source.written == 3)
      let size = Promise.fulfilled(0).reduce(urls) { sum, url in load(url).map { page in sum + page.size } }
      #expect(end(size) == 6)
      let picture = Promise.chain(raw, [denoise, sharpen, compress])
      #expect(end(picture) == [1, 2, 2, 2])
      let chosen: Promise<Promise<Page>> = choice.map { url in load(url) }
      let page: Promise<Page> = chosen.join()
      #expect(end(page)?.size == 3)
      load(url).relay(to: answer)
      #expect(end(answer.promise)?.size == 4)
    }
  }

  @Test("The examples of retry give the expected results")
  func retry() {
    world.run {
      let page = Promise.retry(attempts: 4, backoff: .exponential(first: .milliseconds(100)).jittered()) {
        server.load(url)
      }
      #expect(end(page)?.size == 4)
      let patient = Backoff.exponential(first: .milliseconds(100), cap: .seconds(10)).jittered()
      #expect(patient.pause(before: 1_000) <= .seconds(10))
    }
    world.run {
      let polite = Backoff.exponential(first: .milliseconds(200)).jittered()
        .overridden { error in (error as? Busy)?.retryAfter }
      #expect(polite.pause(before: 1, after: Busy(retryAfter: .seconds(7))) == .seconds(7))
      let mirrors = [server, server, server]
      let id = 1
      let page = Promise.retry(attempts: 3) { attempt in
        mirrors[attempt - 1].load(url)
      }
      #expect(end(page)?.size == 4)
      let user = Promise.asyncRetry(attempts: 3) { attempt in
        try await mirrors[attempt - 1].user(id)
      }
      #expect(end(user)?.name == "Ada")
    }
  }

  @Test("The examples of a retry that hands a value on, or asks, give the expected results")
  func carryingRetry() {
    world.run {
      let chunks = ["a", "b", "c"]
      let backup = Promise.retry(attempts: 9, carrying: 0) { attempt in
        Promise.forEach(attempt.carried..<chunks.count) { index in
          server.send(chunks[index]).tap { _ in attempt.carry(index + 1) }
        }
      }
      #expect(end(backup) != nil)
      let dialog = Dialog()
      let order = Promise.retry(
        attempts: .max, carrying: (), asking: { _, error in dialog.confirm("Try again? \(error)") },
        { _ in server.order("tea") })
      #expect(end(order) == "tea")
    }
  }

  @Test("The examples of asynchronous sequences and async closures give the expected results")
  func async() {
    let photos = [1, 2, 3]
    let id = 1
    let changes = sequence(urls)
    let newPhotos = sequence(photos)
    world.run {
      let pages = Promise.traverse(changes, concurrency: 4) { url in server.load(url) }
      #expect(end(pages)?.map(\.size) == [1, 2, 3])
      let uploaded = Promise.forEach(newPhotos) { photo in server.upload(photo) }
      end(uploaded)
      #expect(uploaded.isFulfilled)
      let thumbnails = Promise.asyncTraverse(photos, concurrency: 4) { photo in try await render(photo) }
      #expect(end(thumbnails)?.map(\.name) == ["1", "2", "3"])
      let user = Promise.asyncRetry(attempts: 3, backoff: .exponential(first: .milliseconds(100))) {
        try await server.user(id)
      }
      #expect(end(user)?.name == "Ada")
    }
  }

  @Test("The examples of using give the expected results", .rule("2.10"))
  func using() {
    let pool = Pool()
    world.run {
      do {
        let rows = Promise.using(pool.connect, release: pool.takeBack) { connection in
          connection.query("select * from towns")
        }
        #expect(end(rows) == ["select * from towns"])
      }
      let rows = Promise.asyncUsing(pool.openConnection, release: pool.closeConnection) { connection in
        try await connection.rows("select * from towns")
      }
      #expect(end(rows) == ["select * from towns"])
      #expect(pool.log.entries == ["taken back", "closed"])
    }
  }

  @Test("The examples of LazyPromise give the expected results")
  func lazy() {
    let settingsURL = "settings"
    let log = Log<Settings>()
    @Sendable func apply(_ settings: Settings) { log.append(settings) }
    world.run {
      let stored = LazyPromise<Settings> { _ in }
      do {
        let settings = LazyPromise.adopting { try server.settings(at: settingsURL) }
        // Nothing has happened yet.
        settings.onFulfilled { settings in apply(settings) }
      }
      let settings = stored.derive { $0.timeout(.seconds(5)).recover { _ in Settings() } }
      #expect(end(settings.promise) == Settings())
      #expect(log.entries == [Settings(size: 14)])
    }
  }
}

/// Data that is read and written in blocks.
private final class Blocks: Sendable {
  private let read = Locked(0)
  private let count = Locked(0)
  var written: Int { count.withLock { $0 } }

  func nextBlock() throws -> Int? {
    let number = read.increment()
    return number <= 3 ? number : nil
  }

  func write(_ block: Int) -> Promise<Void> {
    _ = count.increment()
    return .fulfilled(())
  }
}
