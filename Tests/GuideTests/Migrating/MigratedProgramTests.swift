import PromiseCombinators
import TestSupport
import Testing

// Contains the program of Docs/Migrating/FromPromiseKit.md, word for word. `Scripts/check-snippets.py` compares them.

private struct Mail: Sendable, Equatable {
  let inbox: [String]
  let name: String
}

private struct Offline: Error {}

/// A server that fails as often as a test says, and whose inbox a test fills.
private final class MailServer: Sendable {
  let calls = Log<String>()
  let newMail = Deferred<[String]>()
  private let failures: Locked<Int>

  init(failures: Int) { self.failures = Locked(failures) }

  func logIn() -> Promise<Int> {
    calls.append("log in")
    let fails = failures.withLock { count in
      defer { count -= 1 }
      return count > 0
    }
    return fails ? .rejected(Offline()) : .fulfilled(7)
  }

  func logOut(_ session: Int) -> Promise<Void> { Promise.run { [calls] in calls.append("log out \(session)") } }
  func inbox(of session: Int) -> Promise<[String]> { newMail.promise }
  func name(of session: Int) -> Promise<String> { .fulfilled("Ada") }
}

private struct MailStore: Sendable {
  let saved = Log<Mail>()
  func save(_ mail: Mail) { saved.append(mail) }
  func load() -> Promise<Mail> { .fulfilled(Mail(inbox: ["an old letter"], name: "Ada")) }
}

@MainActor private final class MailScreen {
  var mail: Mail?
  var error: (any Error)?
  func show(_ new: Mail) { mail = new }
  func show(_ new: any Error) { error = new }
}

private struct MailProgram: Sendable {
  let server: MailServer
  let store: MailStore
  let screen: MailScreen

  func synchronize() -> Promise<Mail> {
    Promise.using(
      { Promise.retry(attempts: 3) { server.logIn() } },
      release: { session in server.logOut(session) }
    ) { session in
      Promise.all(server.inbox(of: session), server.name(of: session)).map { Mail(inbox: $0, name: $1) }
    }
    .tap { mail in store.save(mail) }
    .rescue(from: Offline.self) { _ in store.load() }
    .tap(on: .main) { mail in screen.show(mail) }
    .catchFailure(on: .main) { error in screen.show(error) }
  }
}

@Suite("A program that came from PromiseKit", .leavingNothing) struct MigratedProgramTests {
  @Test("It logs in again until that works, shows the mail, and logs out once", .rule("2.10"), arguments: 0...3)
  @MainActor func works(failures: Int) throws {
    try TestWorld.run { world in
      let program = MailProgram(server: MailServer(failures: failures), store: MailStore(), screen: MailScreen())
      _ = program.synchronize()
      program.server.newMail.fulfill(["a letter"])
      world.advance(by: .seconds(60))
      let isOnline = failures < 3
      #expect(program.screen.mail?.inbox == [isOnline ? "a letter" : "an old letter"])
      #expect(program.screen.error == nil)
      #expect(program.store.saved.entries.count == (isOnline ? 1 : 0))
      let logIns = Array(repeating: "log in", count: min(failures + 1, 3))
      #expect(program.server.calls.entries == logIns + (isOnline ? ["log out 7"] : []))
    }
  }

  @Test("A client that gives it up logs out, and is shown nothing", .rule("2.10", "2.5"))
  @MainActor func givenUp() throws {
    try TestWorld.run { world in
      let program = MailProgram(server: MailServer(failures: 0), store: MailStore(), screen: MailScreen())
      let mail = program.synchronize()
      world.runUntilIdle()
      mail.cancel(upstream: true)
      world.runUntilIdle()
      #expect(program.server.newMail.promise.isCancelled)
      #expect(program.server.calls.entries == ["log in", "log out 7"])
      #expect(program.screen.mail == nil)
      #expect(program.screen.error == nil)
    }
  }
}
