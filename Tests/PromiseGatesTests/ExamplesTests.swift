import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

// Holds the examples in the comments of PromiseGates, word for word. `make lint` compares them.

private typealias URL = String

private struct Page: Sendable { var size = 10 }
private struct Image: Sendable { var name = "placeholder" }
private struct User: Sendable { var name = "Ada" }

private struct Server: Sendable {
  func load(_ url: URL) -> Promise<Page> { .fulfilled(Page(size: url.count)) }
  func picture(_ url: URL) -> Promise<Image> { .fulfilled(Image(name: url)) }
  func ask(_ question: String) -> Promise<Int> { .fulfilled(42) }
}

private struct Database: Sendable {
  func user(_ id: Int) -> Promise<User> { .fulfilled(User()) }
  func save(_ user: User) -> Promise<Void> { .fulfilled(()) }
}

private struct Store: Sendable {
  func save(_ document: Int) throws -> Promise<Void> { .fulfilled(()) }
}

private let server = Server()

@Suite("Examples in the comments of PromiseGates") struct ExamplesTests {
  let world = TestWorld()
  private let urls = ["a", "bc", "def"]
  private let url = "abcd"

  @discardableResult
  private func end<Value>(_ promise: Promise<Value>) -> Value? { try? world.run(until: promise) }

  @Test("The example of ConcurrencyLimit gives the expected result")
  func limit() {
    world.run {
      let downloads = ConcurrencyLimit(4)
      let pages = Promise.all(urls.map { url in downloads.run { server.load(url) } })
      #expect(end(pages)?.map(\.size) == [1, 2, 3])
    }
  }

  @Test("The examples of SerialGate, ReadersWriterGate, RateLimit and SingleFlight give the expected results")
  func gates() {
    let store = Store()
    let document = 7
    let database = Database()
    let id = 1
    let question = "?"
    world.run {
      let saving = SerialGate()
      let saved = saving.run { try store.save(document) }
      end(saved)
      let api = RateLimit(10, per: .seconds(1))
      let answer = api.run { server.ask(question) }
      #expect(end(answer) == 42)
    }
    world.run {
      let gate = ReadersWriterGate()
      let user = gate.read { database.user(id) }
      let saved = user.then { user in gate.write { database.save(user) } }
      end(saved)
    }
    world.run {
      let loads = SingleFlight<URL, Image>()
      @Sendable func image(at url: URL) -> Promise<Image> { loads.run(for: url) { server.picture(url) } }
      #expect(end(image(at: "x"))?.name == "x")
    }
    world.run {
      let images = ValueCache<URL, Image>(lifetime: .seconds(600), limit: 200)
      @Sendable func image(at url: URL) -> Promise<Image> { images.value(for: url) { server.picture(url) } }
      #expect(end(image(at: "x"))?.name == "x")
      #expect(image(at: "x").state.value?.name == "x")
    }
    world.run {
      let images = ConcurrencyLimit(4)
      let visible = QueuePriority(1)
      let image = images.run(queuePriority: visible) { server.picture(url) }
      visible.level = 0  // the row has scrolled away
      #expect(end(image)?.name == url)
      #expect(visible.debugDescription == "QueuePriority(0)")
    }
  }

  @Test("The examples of GatePlace refuse work that would wait")
  func places() async throws {
    struct Feed: Sendable {}
    struct FeedServer: Sendable {
      let work: Deferred<Feed>
      func feed() -> Promise<Feed> { work.promise }
    }
    let refreshing = SerialGate()
    let server = FeedServer(work: Deferred<Feed>())
    func refresh() -> Promise<Feed>? {
      // nil if another refresh runs
      guard let place = refreshing.tryEnter() else { return nil }
      let feed = server.feed()
      place.leave(after: feed)
      return feed
    }
    #expect(refresh() != nil)
    #expect(refresh() == nil)
    server.work.fulfill(Feed())
    #expect(refresh() != nil)

    let saving = SerialGate()
    let saved = Log<Int>()
    func save() async throws { saved.append(saving.runningCount) }
    func saveUnlessBusy() async throws {
      guard let place = saving.tryEnter() else { return }
      defer { place.leave() }
      try await save()
    }
    try await saveUnlessBusy()
    #expect(saved.entries == [1])
    #expect(saving.runningCount == 0)
  }
}
