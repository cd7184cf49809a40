import PromiseCombinators
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/FormWithDebounce.md, word for word. `Scripts/check-snippets.py` compares them.

private enum Guide {
  @MainActor
  final class SignUpForm: CancelBagOwner {
    enum Hint { case none, checking, free, taken, unknown }

    let cancelBag = CancelBag()
    private let isFree: @Sendable (String) -> Promise<Bool>
    private var check: Promise<Hint>?
    private(set) var hint = Hint.none

    init(isFree: @escaping @Sendable (String) -> Promise<Bool>) { self.isFree = isFree }

    func nameChanged(to name: String) {
      check?.cancel(upstream: true)  // stops the pause or the request for the previous name
      let check = Promise.after(.milliseconds(300))
        .then { [isFree] in isFree(name) }
        .map { $0 ? Hint.free : .taken }
      self.check = check
      hint = .checking
      check
        .bound(to: self)
        .onFulfilled(on: .main) { [weak self] hint in self?.hint = hint }
        .onFailed(on: .main) { [weak self] _ in self?.hint = .unknown }
    }
  }
}

private enum Throttling {
  @MainActor
  final class PositionReporter {
    private let send: @Sendable (Int) -> Promise<Void>
    private var latest: Int?
    private var pause: Promise<Void>?

    init(send: @escaping @Sendable (Int) -> Promise<Void>) { self.send = send }

    func scrolled(to row: Int) {
      latest = row
      if pause == nil { report() }
    }

    private func report() {
      pause = nil
      guard let row = latest else { return }
      latest = nil
      send(row).onFailed { error in print("row \(row) was not sent: \(error)") }
      // The pause retains the reporter, so the last value is sent even if the reporter is released meanwhile.
      pause = Promise.after(.milliseconds(500))
        .onFulfilled(on: .main) { self.report() }
    }
  }
}

@Suite("The recipe for a form with a debounce")
@MainActor
struct FormWithDebounceTests {
  private typealias SignUpForm = Guide.SignUpForm
  /// A directory that says whether a name is free.
  private let directory = Requests<String, Bool>()

  @Test("The form asks the server once, after the user has paused")
  func debounce() throws {
    try TestWorld.run(checking: .running) { world in
      let form = SignUpForm(isFree: directory.begin)
      for name in ["a", "ad", "ada"] {
        form.nameChanged(to: name)
        world.advance(by: .milliseconds(299))
      }
      #expect(directory.requested.isEmpty)
      #expect(form.hint == .checking)
      world.advance(by: .milliseconds(1))
      #expect(directory.requested == ["ada"])
      directory.answer("ada", with: .success(true))
      world.runUntilIdle()
      #expect(form.hint == .free)
    }
  }

  @Test("A form that is dismissed during the pause asks nothing", .rule("4.9"))
  func dismissed() throws {
    try TestWorld.run(checking: .running) { world in
      var form: SignUpForm? = SignUpForm(isFree: directory.begin)
      form?.nameChanged(to: "ada")
      world.advance(by: .milliseconds(100))
      weak let released = form
      form = nil
      #expect(released == nil)
      world.advance(by: .seconds(1))
      #expect(directory.requested.isEmpty)
    }
  }

  @Test("A keystroke stops the request for the previous name, and a failed check is shown", .rule("4.4", "2.5", "1.2"))
  func outdated() throws {
    try TestWorld.run(checking: .running) { world in
      let form = SignUpForm(isFree: directory.begin)
      form.nameChanged(to: "ada")
      world.advance(by: .milliseconds(300))
      form.nameChanged(to: "adam")
      #expect(directory.stopped == ["ada"])
      directory.answer("ada", with: .success(false))
      world.advance(by: .milliseconds(300))
      #expect(form.hint == .checking)
      directory.answer("adam", with: .success(true))
      world.runUntilIdle()
      #expect(form.hint == .free)
      form.nameChanged(to: "eve")
      world.advance(by: .milliseconds(300))
      directory.answer("eve", with: .failure(TestError(1)))
      world.runUntilIdle()
      #expect(form.hint == .unknown)
    }
  }

  @Test(
    "A keystroke between an answer and its handler shows nothing of the answer", .rule("2.5"),
    arguments: [false, true])
  func answered(isFailure: Bool) throws {
    // Each round takes one more of the steps that follow the answer.
    var isIdle = false
    var count = 0
    while !isIdle {
      try TestWorld.run(checking: .running) { world in
        let directory = Requests<String, Bool>()
        let form = SignUpForm(isFree: directory.begin)
        form.nameChanged(to: "ada")
        world.advance(by: .milliseconds(300))
        directory.answer("ada", with: isFailure ? .failure(TestError(1)) : .success(false))
        isIdle = (0..<count).contains { _ in !world.step() }
        form.nameChanged(to: "adam")
        world.runUntilIdle()
        #expect(form.hint == .checking, "after \(count) steps")
        world.advance(by: .milliseconds(300))
        directory.answer("adam", with: .success(true))
        world.runUntilIdle()
        #expect(form.hint == .free)
      }
      count += 1
    }
    #expect(count > 2)
  }

  @Test("A throttle sends the first value at once, and then the latest one in each period", .rule("4.9"))
  func throttle() throws {
    try TestWorld.run(checking: .running) { world in
      let sent = Log<Int>()
      var reporter: Throttling.PositionReporter? = Throttling.PositionReporter { row in
        sent.append(row)
        return .fulfilled(())
      }
      for row in 1...11 {
        reporter?.scrolled(to: row)
        world.advance(by: .milliseconds(100))
      }
      #expect(sent.entries == [1, 5, 10])
      world.advance(by: .milliseconds(1_000))
      #expect(sent.entries == [1, 5, 10, 11])
      #expect(throws: Never.self) { try world.verify(.timers) }
      reporter?.scrolled(to: 12)
      #expect(sent.entries.last == 12)
      reporter = nil
      world.advance(by: .milliseconds(500))
      #expect(sent.entries.count == 5)
    }
  }

  @Test("A throttle that is released during its pause sends the last value, and is deallocated", .rule("6.1"))
  func released() throws {
    try TestWorld.run(checking: .running) { world in
      let sent = Log<Int>()
      var reporter: Throttling.PositionReporter? = Throttling.PositionReporter { row in
        sent.append(row)
        return .fulfilled(())
      }
      weak let released = reporter
      reporter?.scrolled(to: 1)
      reporter?.scrolled(to: 2)
      reporter = nil
      world.advance(by: .milliseconds(500))
      #expect(sent.entries == [1, 2])
      world.advance(by: .milliseconds(500))
      #expect(released == nil)
      #expect(throws: Never.self) { try world.verify(.timers) }
    }
  }
}
