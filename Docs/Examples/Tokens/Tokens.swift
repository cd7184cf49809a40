// tokens
//
// A program of Swift concurrency only: actors, Tasks, `await`. It uses promises for the three things that it has no word for: a
// continuation that cannot be lost or resumed twice (`Deferred`), one result that many Tasks wait for and each may stop waiting for
// (`Promise`), and a limit on how long one waits (`timeout`). Start reading in `TokenVault.swift`.

import PromiseCombinators

@main
enum Tokens {
  static func main() async throws {
    let service = TokenService()
    let vault = TokenVault(request: service.requestToken)

    // Ten Tasks want a token at the same time. One request is made for all of them.
    let tasks = (0..<10).map { _ in Task { try await vault.token() } }
    while await vault.waiting < tasks.count { await Task.yield() }
    try await service.waitForRequest()

    // One of them stops waiting. It does so at once, and the others notice nothing.
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
