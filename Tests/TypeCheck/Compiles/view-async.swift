// Async closures in views, on the main actor and on actors.
import PromiseContexts

@MainActor final class Screen { var total = 0 }
actor Account { var balance = 0 }
nonisolated func next(_ value: Int) async throws -> Int { value + 1 }

func chain(_ start: Promise<Int>, _ screen: Screen, _ account: Account) -> Promise<Int> {
  start
    // repeat 5 20 40
    .on(.pool).asyncMap { try await next($0) }
    .on(.main).asyncMap { try await next(screen.total + $0) }
    .on(isolatedTo: account).asyncMap { try await next($0.balance + $1) }.promise
    .asyncMap(on: .main) { try await next(screen.total + $0) }
    .asyncTap(isolatedTo: account) { $0.balance = $1 }
  // end
}
