import PromiseCombinators
import TestSupport

extension ClientOperator {
  static let lazyStarts = [
    ClientOperator(testDescription: "lazy owner", count: 1) { work, context in
      startedByStranger(LazyPromise<Int>(on: context) { $0.follow(work.begin()) })
    },
    ClientOperator(testDescription: "lazy run", count: 1) { work, context in
      startedByStranger(LazyPromise.run(on: context) { work.seen.append(Client.seen) })
    },
    ClientOperator(testDescription: "lazy adopting", count: 1) { work, context in
      startedByStranger(LazyPromise.adopting(on: context, work.begin))
    },
    ClientOperator(testDescription: "lazy map", count: 1) { work, context in
      startedByStranger(ofStranger { .fulfilled(1) }.map(on: context) { _ in work.seen.append(Client.seen) })
    },
    ClientOperator(testDescription: "lazy then", count: 1) { work, context in
      startedByStranger(ofStranger { .fulfilled(1) }.then(on: context) { _ in work.begin() })
    },
    ClientOperator(testDescription: "lazy recover", count: 1) { work, context in
      startedByStranger(
        ofStranger { .rejected(TestError(1)) }.recover(on: context) { _ in
          work.seen.append(Client.seen)
          return 1
        })
    },
    ClientOperator(testDescription: "lazy rescue", count: 1) { work, context in
      startedByStranger(ofStranger { .rejected(TestError(1)) }.rescue(on: context) { _ in work.begin() })
    },
    ClientOperator(testDescription: "lazy derive", count: 1) { work, context in
      startedByStranger(ofStranger { .fulfilled(1) }.derive { _ in work.begin() })
    },
    ClientOperator(testDescription: "a link in a lazy derive", count: 1) { work, context in
      startedByStranger(ofStranger { .fulfilled(1) }.derive { $0.then(on: context) { _ in work.begin() } })
    },
  ]

  private static func ofStranger(_ body: @escaping @Sendable () -> Promise<Int>) -> LazyPromise<Int> {
    Client.run(as: "stranger") { LazyPromise.adopting(on: .task, body) }
  }

  private static func startedByStranger<Value>(_ lazy: LazyPromise<Value>) -> AnyPromise {
    Client.run(as: "stranger") { lazy.promise }
  }
}
