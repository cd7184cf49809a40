// tokens
//
// A program that uses actors, Tasks and `await`. It uses promises for three things that Swift concurrency does not
// have. `Deferred` is a continuation that cannot be lost or resumed twice. `Promise` is one result for which many Tasks
// wait, and each Task may stop waiting. `timeout` limits how long a Task waits. Start reading in `TokenVault.swift`.

import PromiseCombinators

@main
enum Tokens {
  static func main() async throws {
    let service = TokenService()
    let vault = TokenVault(request: service.requestToken)

    // Ten Tasks want a token at the same time. The vault makes one request for all of them.
    let tasks = (0..<10).map { _ in Task { try await vault.token() } }
    while await vault.waiting < tasks.count { await Task.yield() }
    try await service.waitForRequest()

    // One Task is cancelled. It stops waiting at once, and the other Tasks go on waiting.
    tasks[0].cancel()
    switch await tasks[0].result {
    case .success(let token): print("unexpected token", token)
    case .failure(let error): print("the first Task:", error)
    }

    await service.answer(with: "t-1")
    var tokens: [String] = []
    for task in tasks.dropFirst() { tokens.append(try await task.value) }
    print("the others:", Set(tokens), "by", await service.requests, "request")

    // The next request is not answered in time.
    await vault.forget()
    do {
      print("unexpected token", try await vault.token(within: .milliseconds(50)))
    } catch PromiseError.timedOut {
      print("too late: the service was told that nobody waits any more:", try await service.waitForCancellation())
    }
  }
}
