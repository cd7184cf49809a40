import NIOCore
import NIOPosix
import PromiseCombinators
import PromiseNIO

/// Work on an event loop of SwiftNIO: tasks of the loop as promises, links whose handlers run on the loop, and promises
/// as futures.
final class EventLoopLoad: Load {
  let name = "loops"
  let tally = Tally()
  let rate: Double

  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  init(_ surroundings: Surroundings) { rate = 200 * surroundings.scale }

  func proceed(_ count: Int) {
    for _ in 0..<count { submit(tally.counts.begun) }
  }

  private func submit(_ number: Int) {
    let start = tally.begin()
    let loop = group.next()
    let isCancelled = number % 8 == 0
    let task = loop.scheduleTask(in: .milliseconds(isCancelled ? 60_000 : 1)) { number }.promise()
    let promise = task.map(on: .eventLoop(loop)) { number in
      loop.assertInEventLoop()
      return number + 1
    }
    let back = promise.future(on: loop).map { $0 + 1 }.promise()
    tally.observe(back, since: start) { isCancelled ? $0.isCancelled : (try? $0.get()) == number + 2 }
    promise.bound(to: tally.bag)
    if isCancelled { promise.cancel(upstream: true) }
  }

  func stop() -> Promise<Void> {
    tally.bag.close()
    return tally.bag.whenFinished().then { [group] _ in
      Promise { deferred in
        group.shutdownGracefully { deferred.resolve($0) }
      }
    }
  }
}
