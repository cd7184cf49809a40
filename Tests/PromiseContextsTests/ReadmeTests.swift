import Dispatch
import PromiseContexts
import PromiseTesting
import TestSupport
import Testing

// The Swift blocks of the README, word for word: `make lint` checks that they are here. What they use is below.

func load(_ name: String) -> Promise<String> {
  Promise { deferred in read(name, completion: deferred.resolve) }  // a callback becomes a promise
}

func show(_ name: String, on screen: Screen) {
  load(name)
    .map { try User(text: $0) }  // runs in parallel, never on the main thread; a throw rejects
    .then { user in load(user.picture) }  // waits for another promise
    .tap(on: .main) { screen.picture = $0 }  // only here may it touch the screen, or it would not compile
    .catch(on: .main) { screen.message = "\($0)" }  // sees every error from above
}

private func owner() -> (settled: Promise<Int>, text: Promise<String>) {
  let answer = Deferred<Int>()
  let text = answer.promise.map { "The answer is \($0)." }
  answer.fulfill(42)  // true: the promise is settled
  answer.fulfill(43)  // false: it was settled before
  return (answer.promise, text)
}

private func cancelling() -> (picture: Promise<String>, shown: Promise<String>) {
  let picture = Deferred<String>()
  picture.onCancel { _ in print("not wanted any more: stop the download") }
  let shown = picture.promise.map { "showing \($0)" }
  shown.cancel(upstream: true)  // `shown` was the only remaining consumer of the picture
  return (picture.promise, shown)
}

private func progress(_ parse: @escaping @Sendable (Int) -> Promise<Int>) -> (file: Deferred<Int>, parsed: Promise<Int>)
{
  let file = Deferred<Int>()
  let parsed = file.promise.then { size in parse(size) }
  parsed.onProgress { print("\(Int($0 * 100)) %") }
  file.report(progress: 0.5)  // 25 %: loading is half of the way
  return (file, parsed)
}

func total(of prices: Promise<[Int]>) async throws -> Int {
  let discount = Promise.task { try await fetchDiscount() }
  let reduction = try await discount.value(cancelsSource: true)  // begun here: stops if this Task is cancelled
  return try await prices.value.reduce(0, +) - reduction  // others may want the prices: their work goes on
}

/// Compiled only: the hook is one for the whole process, and other tests run beside these.
private func reports() {
  Diagnostics.onUnhandledRejection { report in print(report) }
}

private func contexts(_ deposit: Promise<Int>, _ screen: Screen, _ queue: DispatchQueue, _ account: Account) {
  deposit.tap { print("in parallel:", $0) }
  deposit.tap(on: .main) { screen.total = $0 }
  deposit.tap(on: queue) { print("on a queue that it has to itself:", $0) }
  deposit.tap(isolatedTo: account) { account, amount in account.balance += amount }
}

private func view(_ deposit: Promise<Int>, _ screen: Screen) {
  deposit.on(.main)
    .map { screen.total + $0 }
    .tap { screen.total = $0 }
}

private func types(_ count: Promise<Int>) -> Promise<Double> {
  let half = count.map(to: Double.self) { Double($0) / 2 }
  return half
}

/// What the README shows does what it says.
@Suite("README", .bounded)
struct ReadmeTests {
  @Test("the first example shows the picture on the main actor")
  func showsPicture() async {
    let screen = Screen()
    await screen.waiting { show("ada", on: screen) }
    #expect(await screen.picture == "ada.png, as text")
    #expect(await screen.message.isEmpty)
  }

  @Test("the first example shows an error from anywhere in the chain")
  func showsError() async {
    let screen = Screen()
    await screen.waiting { show("nobody", on: screen) }
    #expect(await screen.picture.isEmpty)
    #expect(await screen.message == "TestError(number: 404)")
  }

  @Test("the first to settle wins")
  func firstWins() async throws {
    let (settled, text) = owner()
    #expect(try settled.result?.get() == 42)
    #expect(try await outcome(of: text).get() == "The answer is 42.")
  }

  @Test("handlers run on the context that they name")
  func runOnContexts() async {
    let screen = Screen()
    let account = Account()
    let deposit = Deferred<Int>()
    contexts(deposit.promise, screen, DispatchQueue(label: "readme"), account)
    // Handlers of one promise on one context run in order (rule 2.2): these come after the README's. The one for the actor is
    // attached right behind the README's, so that both travel together.
    let onActor = deposit.promise.tap(isolatedTo: account) { _, _ in }
    let onMain = deposit.promise.tap(on: .main) { _ in }
    deposit.fulfill(7)
    await finished(onActor)
    await finished(onMain)
    #expect(await screen.total == 7)
    #expect(await account.balance == 7)
  }

  @Test("a chain in one place names it once")
  @MainActor
  func runsInOnePlace() async {
    let screen = Screen()
    screen.total = 1
    let deposit = Promise.fulfilled(7)
    view(deposit, screen)
    // As long as the README's chain, and behind it at every step (rule 2.2).
    await finished(deposit.on(.main).map { $0 }.tap { _ in }.promise)
    #expect(screen.total == 8)
  }

  @Test("Giving up stops work that no other client wants", .rule("4.4"))
  func givesUp() {
    let (picture, shown) = cancelling()
    #expect(shown.isCancelled && picture.isCancelled)
  }

  @Test("a chain shows the progress of all of it")
  func showsProgress() async throws {
    let (file, parsed) = progress { .fulfilled($0) }
    #expect(parsed.progress == 0.25)
    file.fulfill(1)
    #expect(try await parsed.value == 1)
    #expect(parsed.progress == 1)
  }

  @Test("async code awaits promises, and makes them")
  func awaits() async throws {
    #expect(try await total(of: .fulfilled([3, 4])) == 6)
  }

  @Test("a test explores orders")
  func explores() throws {
    try TestWorld.explore(schedules: 100, seed: 1) { world in
      let order = Deferred<String>()
      let meal = order.promise.then { dish in Promise.run { "one \(dish)" } }
      world.sometime("the guest leaves") { meal.cancel() }
      world.sometime("the guest orders") { order.fulfill("soup") }
      world.runUntilIdle()
      world.expect(meal.isCancelled || meal.isFulfilled, "the meal does not hang")
    }
  }

  @Test("a link may be told its type")
  func toldType() async throws {
    #expect(try await outcome(of: types(.fulfilled(3))).get() == 1.5)
  }
}

// MARK: - What the examples use

@MainActor
final class Screen {
  var picture = "" { didSet { changed?.resume() } }
  var message = "" { didSet { changed?.resume() } }
  var total = 0
  private var changed: CheckedContinuation<Void, Never>?

  /// Returns when a change of the picture or the message has followed.
  func waiting(for action: () -> Void) async {
    await withCheckedContinuation {
      changed = $0
      action()
    }
    changed = nil
  }
}

actor Account { var balance = 0 }

private struct User {
  let picture: String

  init(text: String) throws {
    guard text != "unknown" else { throw TestError(404) }
    picture = "ada.png"
  }
}

private func read(_ name: String, completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
  DispatchQueue.global().async { completion(name == "nobody" ? "unknown" : "\(name), as text", nil) }
}

private func fetchDiscount() async throws -> Int { 1 }

private func finished<Value>(_ promise: Promise<Value>) async { _ = await outcome(of: promise) }
