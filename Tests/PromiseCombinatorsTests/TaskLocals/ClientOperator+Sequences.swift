import PromiseCombinators
import TestSupport

extension ClientOperator {
  static let sequences = [
    ClientOperator(testDescription: "traverse, one at a time", count: 3) { work, context in
      Promise.traverse(0..<3, concurrency: 1, on: context) { _ in work.begin() }
    },
    ClientOperator(testDescription: "traverse, two at a time", count: 3) { work, context in
      Promise.traverse(0..<3, concurrency: 2, on: context) { _ in work.begin() }
    },
    ClientOperator(testDescription: "traverse of an asynchronous sequence", count: 3) { work, context in
      Promise.traverse(Ticks(3), concurrency: 2, on: context) { _ in work.begin() }
    },
    ClientOperator(testDescription: "forEach", count: 3) { work, context in
      Promise.forEach(0..<3, on: context) { _ in work.begin() }
    },
    ClientOperator(testDescription: "forEach of an asynchronous sequence", count: 3) { work, context in
      Promise.forEach(Ticks(3), on: context) { _ in work.begin() }
    },
    ClientOperator(testDescription: "repeat", count: 3) { work, context in
      Promise.repeat(on: context) { work.seen.entries.count < 3 ? work.begin() : nil }
    },
    ClientOperator(testDescription: "reduce", count: 3) { work, context in
      work.holder.promise.reduce(0..<3, on: context) { _, _ in work.begin() }
    },
    ClientOperator(testDescription: "chain", count: 3) { work, context in
      Promise.chain(0, Array(repeating: { _ in work.begin() }, count: 3), on: context)
    },
    ClientOperator(testDescription: "retry", count: 3, fails: true) { work, context in
      Promise.retry(attempts: 3, backoff: .constant(.milliseconds(1)), on: context, work.begin)
    },
    ClientOperator(testDescription: "using", count: 3) { work, context in
      Promise.using(
        { work.begin() }, release: { _ in work.begin() }, on: context
      ) { _ in work.begin() }
    },
    ClientOperator(testDescription: "predicate of retry", count: 2, fails: true) { work, context in
      Promise.retry(
        attempts: 3, backoff: .constant(.milliseconds(1)), on: context,
        while: { attempt, _ in
          work.seen.append(Client.seen)
          return true
        }, { work.owners[0].promise })
    },
  ]

  static let asyncSequences = [
    ClientOperator(testDescription: "asyncTraverse", count: 3) { work, _ in
      Promise.asyncTraverse(0..<3, concurrency: 2) { _ in try await work.beginAsync() }
    },
    ClientOperator(testDescription: "asyncTraverse of an asynchronous sequence", count: 3) { work, _ in
      Promise.asyncTraverse(Ticks(3), concurrency: 2) { _ in try await work.beginAsync() }
    },
    ClientOperator(testDescription: "asyncRetry", count: 3, fails: true) { work, _ in
      Promise.asyncRetry(attempts: 3, backoff: .constant(.milliseconds(1)), work.beginAsync)
    },
    ClientOperator(testDescription: "asyncUsing", count: 3) { work, _ in
      Promise.asyncUsing(
        { try await work.beginAsync() }, release: { _ in _ = try await work.beginAsync() },
        { _ in try await work.beginAsync() })
    },
    ClientOperator(testDescription: "predicate of asyncRetry", count: 2, fails: true) { work, _ in
      Promise.asyncRetry(
        attempts: 3, backoff: .constant(.milliseconds(1)),
        while: { _, _ in
          work.seen.append(Client.seen)
          return true
        }, { try await work.owners[0].promise.value })
    },
  ]
}
