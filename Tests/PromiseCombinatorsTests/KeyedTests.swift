import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

/// Combinators that say which input an outcome comes from.
@Suite("Combinators of dictionaries and of enumerated promises", .leavingNothing)
struct KeyedTests {
  let owners = (0..<3).map { _ in Deferred<Int>() }
  var inputs: [Promise<Int>] { owners.map(\.promise) }
  var keyed: [String: Promise<Int>] { ["a": inputs[0], "b": inputs[1], "c": inputs[2]] }

  @Test("all of a dictionary fulfils with the values under their keys")
  func all() {
    let all = Promise.all(keyed)
    for index in [2, 0, 1] {
      #expect(all.isPending)
      owners[index].fulfill(index)
    }
    #expect(all.values == ["a": 0, "b": 1, "c": 2])
  }

  @Test("all of a dictionary rejects with the first error, as its policy says", .rule("1.2", "4.8"))
  func failedAll() {
    let (all, cancelling) = (Promise.all(keyed), Promise.all(keyed, onFailure: .cancelRemaining))
    let waiting = Promise.all(keyed, onFailure: .waitForAll)
    owners[1].reject(TestError(1))
    #expect(all.errorNumber == 1 && cancelling.errorNumber == 1 && waiting.isPending)
    owners[0].fulfill(0)
    inputs[2].cancel()
    #expect(waiting.errorNumber == 1 && !waiting.isCancelled)
  }

  @Test("allSettled of a dictionary fulfils with the outcomes under their keys")
  func allSettled() throws {
    let all = Promise.allSettled(keyed)
    owners[0].fulfill(0)
    inputs[1].cancel(reason: TestError(1))
    #expect(all.isPending)
    owners[2].reject(TestError(2))
    let outcomes = try #require(all.values)
    #expect(outcomes.mapValues { try? $0.get() } == ["a": 0, "b": nil, "c": nil])
    #expect(Promise.allSettled(keyed, atLeast: 1).isFulfilled)
    guard case .noneFulfilled(let errors, _)? = Promise.allSettled(keyed, atLeast: 2).ownError else {
      Issue.record("expected: noneFulfilled")
      return
    }
    #expect(Set(errors.compactMap { ($0 as? TestError)?.number }) == [1, 2])
  }

  @Test("An empty dictionary fulfils all and allSettled, and rejects any, race and allSettled(atLeast:)")
  func empty() {
    let none: [String: Promise<Int>] = [:]
    #expect(Promise.all(none).values == [:] && Promise.allSettled(none).values?.isEmpty == true)
    let errors = [
      Promise.any(none).ownError, Promise.race(none).ownError, Promise.allSettled(none, atLeast: 1).ownError,
      Promise.any(enumerating: [Promise<Int>]()).ownError, Promise.race(enumerating: [Promise<Int>]()).ownError,
    ]
    for error in errors {
      guard case .emptyInput? = error else {
        Issue.record("expected: emptyInput")
        continue
      }
    }
  }

  @Test("any tells the key or the offset of the input that was fulfilled first", arguments: 0..<3)
  func any(_ winner: Int) {
    let (byKey, byOffset) = (Promise.any(keyed), Promise.any(enumerating: inputs))
    owners[(winner + 1) % 3].reject(TestError(9))
    #expect(byKey.isPending && byOffset.isPending)
    owners[winner].fulfill(10 + winner)
    owners[(winner + 2) % 3].fulfill(20)
    #expect(byKey.values?.key == ["a", "b", "c"][winner] && byKey.values?.value == 10 + winner)
    #expect(byOffset.values?.offset == winner && byOffset.values?.value == 10 + winner)
  }

  @Test("any rejects with all errors if all inputs are rejected, and is cancelled if all are cancelled", .rule("1.2"))
  func noValue() {
    let (byKey, byOffset) = (Promise.any(keyed), Promise.any(enumerating: inputs))
    let (cancelled, work) = (Deferred<Int>(), Deferred<Int>())
    let none = (Promise.any(["a": cancelled.promise]), Promise.any(enumerating: [cancelled.promise, work.promise]))
    for index in [2, 0, 1] { owners[index].reject(TestError(index)) }
    for case let error? in [byKey.ownError, byOffset.ownError] {
      guard case .noneFulfilled(let errors, _) = error else {
        Issue.record("\(error)")
        continue
      }
      #expect(errors.compactMap { ($0 as? TestError)?.number }.sorted() == [0, 1, 2])
    }
    #expect(!byKey.isCancelled && byKey.isRejected && !byOffset.isCancelled && byOffset.isRejected)
    cancelled.promise.cancel()
    work.promise.cancel()
    #expect(none.0.isCancelled && none.1.isCancelled)
  }

  @Test("race tells the key or the offset of the input that was settled first, and passes an error on as it is")
  func race() {
    let (byKey, byOffset) = (Promise.race(keyed), Promise.race(enumerating: inputs[1...]))
    let failed = (Promise.race(["a": inputs[0], "b": inputs[2]]), Promise.race(enumerating: [inputs[0], inputs[2]]))
    owners[1].fulfill(1)
    #expect(byKey.values?.key == "b" && byKey.values?.value == 1)
    // The offset counts from 0, even in a slice.
    #expect(byOffset.values?.offset == 0 && byOffset.values?.value == 1)
    inputs[2].cancel(reason: TestError(2))
    #expect(failed.0.errorNumber == 2 && failed.0.isCancelled && failed.1.errorNumber == 2 && failed.1.isCancelled)
  }

  @Test("Of settled inputs, the first wins, and of equal inputs, the first offset counts")
  func settled() {
    let (one, failed) = (Promise.fulfilled(1), Promise<Int>.rejected(TestError(0)))
    #expect(Promise.race(enumerating: [inputs[0], one, one]).values?.offset == 1)
    #expect(Promise.any(enumerating: [failed, one, Promise.fulfilled(2)]).values?.offset == 1)
    let twice = Promise.race(enumerating: [inputs[0], inputs[1], inputs[1]])
    owners[1].fulfill(1)
    #expect(twice.values?.offset == 1)
  }

  @Test("The winner is found even if a client holds another promise than its owner", arguments: [0, 1])
  func clientPromise(_ place: Int) {
    let owner = Deferred<Int>(cancelWhenUnobserved: true)
    let input = owner.promise
    let inputs = place == 0 ? [input, owners[0].promise] : [owners[0].promise, input]
    let (any, race) = (Promise.any(enumerating: inputs), Promise.race(enumerating: inputs))
    let keyed = Promise.race(["other": owners[0].promise, "owned": input])
    owner.fulfill(5)
    #expect(any.values?.offset == place && any.values?.value == 5)
    #expect(race.values?.offset == place && race.values?.value == 5)
    #expect(keyed.values?.key == "owned" && keyed.values?.value == 5)
  }

  @Test("Losers are given up only if cancelsLosers is set", .rule("4.8"), arguments: [false, true])
  func losers(_ cancelsLosers: Bool) {
    for which in 0..<4 {
      let owners = (0..<2).map { _ in Deferred<Int>() }
      let inputs = owners.map(\.promise)
      let keyed = ["a": inputs[0], "b": inputs[1]]
      let result: AnyPromise =
        switch which {
        case 0: Promise.any(enumerating: inputs, cancelsLosers: cancelsLosers)
        case 1: Promise.race(enumerating: inputs, cancelsLosers: cancelsLosers)
        case 2: Promise.any(keyed, cancelsLosers: cancelsLosers)
        default: Promise.race(keyed, cancelsLosers: cancelsLosers)
        }
      owners[0].fulfill(0)
      #expect(result.isFulfilled && inputs[1].isCancelled == cancelsLosers)
    }
  }

  @Test("An enumerated sequence is read once, inside the call")
  func readOnce() {
    let asked = Log<Int>()
    let race = Promise.race(enumerating: Once(3, asked).lazy.map { Promise.fulfilled($0) })
    #expect(asked.entries == [0, 1, 2, 3] && race.values?.offset == 0)
  }
}
