import PromiseCombinators
import TestSupport
import Testing

extension RetryLimitsTests {
  @Test(
    "retry asks for each pause once, by the number of the retry from 1, and accepts zero, less and extreme length",
    arguments: [Duration.zero, .seconds(-5), .seconds(Int64.max)])
  func pauses(_ pause: Duration) {
    let (count, asked) = (Log<Int>(), Log<Int>())
    let promise = world.run {
      Promise<Int>.retry(attempts: 4, backoff: Backoff { asked.append($0, returning: pause) }) {
        count.append(1)
        throw TestError(count.entries.count)
      }
    }
    world.advance(by: .seconds(1_000_000))
    #expect(pause > .zero ? promise.isPending && count.entries.count == 1 : promise.errorNumber == 4)
    #expect(asked.entries == (pause > .zero ? [1] : [1, 2, 3]))
    promise.cancel()
    #expect(world.armed == 0)
  }

  /// Checks that the pauses of a backoff grow, stay within the limit and reach it. With jitter, pauses lie between zero
  /// and the pause without jitter.
  private func check(_ backoff: Backoff, upTo limit: Duration, sourceLocation: SourceLocation = #_sourceLocation) {
    var last = Duration.zero
    for retry in [1, 2, 3, 10, 60, 100, 1_000, 1_000_000, .max] {
      let pause = backoff.pause(before: retry)
      #expect(pause >= last && pause <= limit, "retry \(retry)", sourceLocation: sourceLocation)
      last = pause
      let jittered = backoff.jittered { 0.999 }.pause(before: retry)
      #expect(jittered >= .zero && jittered <= pause, sourceLocation: sourceLocation)
      #expect(backoff.jittered { 0 }.pause(before: retry) == .zero, sourceLocation: sourceLocation)
    }
    #expect(last == limit, sourceLocation: sourceLocation)
  }

  @Test("Exponential pauses grow to their cap, whatever the number of the retry, the factor and the first pause")
  func backoff() {
    let week = Duration.seconds(604_800)
    check(.exponential(first: .seconds(1), factor: 1), upTo: .seconds(1))
    check(.exponential(first: .seconds(1), cap: .seconds(Int64.max)), upTo: .seconds(Int64.max))
    check(.exponential(first: .nanoseconds(1), factor: 10, cap: week), upTo: week)
    check(.exponential(first: .seconds(100), factor: 2, cap: .seconds(10)), upTo: .seconds(10))
    check(.exponential(first: .seconds(1), cap: .seconds(-1)), upTo: .zero)
    check(.constant(.seconds(Int64.max)), upTo: .seconds(Int64.max))
    check(.constant(.seconds(-1)), upTo: .zero)
    #expect(Backoff.exponential(first: .seconds(2), factor: 1.5).pause(before: 3) == .milliseconds(4_500))
    for factor in [1e300, .greatestFiniteMagnitude, .infinity] {
      check(.exponential(first: .seconds(1), factor: factor), upTo: .seconds(60))
    }
    for first in [Duration.seconds(-1), .zero] { check(.exponential(first: first), upTo: .zero) }
    // A number below 1 counts as 1.
    let backoff = Backoff.exponential(first: .seconds(2))
    for retry in [Int.min, -1, 0, 1] { #expect(backoff.pause(before: retry) == .seconds(2)) }
  }

  @Test("The longest pauses neither trap nor become shorter")
  func longest() {
    for longest in [Duration.seconds(Int64.max), Duration(attoseconds: .max)] {
      let jittered = Backoff.constant(longest).jittered { 1 }.pause(before: 1)
      #expect(jittered == longest)
      let nearly = Backoff.constant(longest).jittered { 1 - .ulpOfOne / 2 }.pause(before: 1)
      #expect(nearly > longest / 2 && nearly <= longest)
      let shortest = Backoff.constant(longest).jittered { .leastNonzeroMagnitude }.pause(before: 1)
      #expect(shortest >= .zero && shortest < .seconds(1))
      check(.exponential(first: .seconds(1), cap: longest), upTo: longest)
      check(.exponential(first: longest, factor: 1, cap: longest), upTo: longest)
    }
    #expect(Backoff.constant(Duration(attoseconds: .min)).jittered { 1 }.pause(before: 1) == .zero)
  }
}
