import PromiseCombinators
import TestSupport

extension ClientOperator {
  static let lazyStarts: [ClientOperator] = [
    .init("lazy owner") { work, context in started(LazyPromise<Int>(on: context) { $0.follow(work.begin()) }) },
    .init("lazy run") { work, context in started(LazyPromise.run(on: context) { work.seen.append(Client.seen) }) },
    .init("lazy adopting") { work, context in started(LazyPromise.adopting(on: context, work.begin)) },
    .init("lazy map") { work, context in started(value.map(on: context) { _ in work.seen.append(Client.seen) }) },
    .init("lazy then") { work, context in started(value.then(on: context) { _ in work.begin() }) },
    .init("lazy recover") { work, context in
      started(error.recover(on: context) { _ in work.seen.append(Client.seen, returning: 1) })
    },
    .init("lazy rescue") { work, context in started(error.rescue(on: context) { _ in work.begin() }) },
    .init("lazy derive") { work, _ in started(value.derive { _ in work.begin() }) },
    .init("a link in a lazy derive") { work, context in
      started(value.derive { $0.then(on: context) { _ in work.begin() } })
    },
  ]

  /// A lazy promise of a stranger, which is fulfilled.
  private static var value: LazyPromise<Int> { ofStranger { .fulfilled(1) } }
  /// A lazy promise of a stranger, which is rejected.
  private static var error: LazyPromise<Int> { ofStranger { .rejected(TestError(1)) } }

  private static func ofStranger(_ body: @escaping @Sendable () -> Promise<Int>) -> LazyPromise<Int> {
    Client.run(as: "stranger") { LazyPromise.adopting(on: .task, body) }
  }

  /// Starts the lazy promise on behalf of a stranger.
  private static func started<Value>(_ lazy: LazyPromise<Value>) -> AnyPromise {
    Client.run(as: "stranger") { lazy.promise }
  }
}
