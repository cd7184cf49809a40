import PromiseCombinators
import TestSupport

extension ClientOperator {
  static let sequences: [ClientOperator] = [
    .init("traverse, one at a time", count: 3) { Promise.traverse(0..<3, concurrency: 1, on: $1, $0.step) },
    .init("traverse, two at a time", count: 3) { Promise.traverse(0..<3, concurrency: 2, on: $1, $0.step) },
    .init("asynchronous traverse", count: 3) { Promise.traverse(Ticks(3), concurrency: 2, on: $1, $0.step) },
    .init("forEach", count: 3) { Promise.forEach(0..<3, on: $1, $0.step) },
    .init("asynchronous forEach", count: 3) { Promise.forEach(Ticks(3), on: $1, $0.step) },
    .init("repeat", count: 3) { work, context in
      Promise.repeat(on: context) { work.seen.entries.count < 3 ? work.begin() : nil }
    },
    .init("reduce", count: 3) { work, context in
      work.holder.promise.reduce(0..<3, on: context) { _, _ in work.begin() }
    },
    .init("reduce of promises", count: 2) { work, context in
      Promise.reduce(all: (0..<3).map { _ in work.holder.promise }, on: context) { _, _ in work.begin() }
    },
    .init("chain", count: 3) { work, context in
      Promise.chain(0, Array(repeating: { _ in work.begin() }, count: 3), on: context)
    },
    .init("retry", count: 3, fails: true) { Promise.retry(attempts: 3, backoff: pause, on: $1, $0.begin) },
    .init("retry with a value", count: 3, fails: true) { work, context in
      Promise.retry(attempts: 3, backoff: pause, on: context, carrying: 0) { _ in work.begin() }
    },
    .init("question of retry", count: 2, fails: true) { work, context in
      Promise.retry(
        attempts: 3, backoff: pause, on: context, carrying: 0,
        asking: { _, _ in work.seen.append(Client.seen, returning: .fulfilled(true)) },
        { _ in work.owners[0].promise })
    },
    .init("using", count: 3) { Promise.using($0.begin, release: $0.step, on: $1, $0.step) },
    .init("predicate of retry", count: 2, fails: true) { work, context in
      Promise.retry(
        attempts: 3, backoff: pause, on: context,
        while: { _, _ in work.seen.append(Client.seen, returning: true) }, { work.owners[0].promise })
    },
  ]

  static let asyncSequences: [ClientOperator] = [
    .init("asyncTraverse", count: 3) { work, _ in
      Promise.asyncTraverse(0..<3, concurrency: 2) { _ in try await work.beginAsync() }
    },
    .init("asyncTraverse of an asynchronous sequence", count: 3) { work, _ in
      Promise.asyncTraverse(Ticks(3), concurrency: 2) { _ in try await work.beginAsync() }
    },
    .init("asyncRetry", count: 3, fails: true) { work, _ in
      Promise.asyncRetry(attempts: 3, backoff: pause, work.beginAsync)
    },
    .init("asyncUsing", count: 3) { work, _ in
      Promise.asyncUsing(
        { try await work.beginAsync() }, release: { _ in _ = try await work.beginAsync() },
        { _ in try await work.beginAsync() })
    },
    .init("using of a second resource with async closures", count: 2) { work, _ in
      Promise.using(Resource({ .fulfilled(1) }, release: { _ in Promise.fulfilled(()) }), asyncResource(work)) { _, _ in
        .fulfilled(1)
      }
    },
    .init("asyncUsing of a resource", count: 3) { work, _ in
      Promise.asyncUsing(asyncResource(work)) { _ in try await work.beginAsync() }
    },
    .init("asyncUsing of two resources", count: 3) { work, _ in
      Promise.asyncUsing(Resource(async: { 1 }, release: { _ in }), asyncResource(work)) { _, _ in
        try await work.beginAsync()
      }
    },
    .init("predicate of asyncRetry", count: 2, fails: true) { work, _ in
      Promise.asyncRetry(
        attempts: 3, backoff: pause, while: { _, _ in work.seen.append(Client.seen, returning: true) },
        { try await work.owners[0].promise.value })
    },
  ]

  private static func asyncResource(_ work: ClientWork) -> Resource<Int> {
    Resource(async: { try await work.beginAsync() }, release: { _ in _ = try await work.beginAsync() })
  }

  private static let pause = Backoff.constant(.milliseconds(1))
}
