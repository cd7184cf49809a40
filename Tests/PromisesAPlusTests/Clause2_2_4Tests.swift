import Dispatch
import TestSupport
import Testing

@Suite("Promises/A+ 2.2.4: a separate stack for handlers", .rule("2.8", "2.1")) struct Clause2_2_4Tests {
  private let context = ManualContext()
  private let events = Log<String>()

  @Test(
    "Neither the attaching nor the settling call runs a handler (2.2.4)", arguments: Settling.allCases, Outcome.settled)
  func notInsideAttachOrSettle(_ settling: Settling, _ outcome: Outcome) {
    for form in Form.handling(outcome) {
      let context = ManualContext()
      let seen = Log<Outcome>()
      settling.settle(as: outcome) { promise in
        form.attach(to: promise, on: context) { seen.append($0, returning: 0) }
        #expect(seen.entries == [], "\(form)")
      }
      #expect(seen.entries == [], "\(form)")
      #expect(context.count == 1, "\(form)")
      context.runUntilIdle()
      #expect(seen.entries == [outcome], "\(form)")
    }
  }

  @Test(
    "Handlers on a serial queue run after the current block of that queue has ended (2.2.4)",
    arguments: Settling.allCases, Outcome.settled)
  func onItsOwnSerialQueue(_ settling: Settling, _ outcome: Outcome) {
    let queue = DispatchQueue(label: "2.2.4")
    queue.sync {
      settling.settle(as: outcome) { promise in
        for form in Form.handling(outcome) {
          form.attach(to: promise, on: queue) { _ in events.append("handler", returning: 0) }
        }
      }
      events.append("end of block")
    }
    queue.sync {}
    #expect(events.entries == ["end of block"] + Form.handling(outcome).map { _ in "handler" })
  }

  @Test(
    "A handler on the main actor runs after the current code of the main actor (2.2.4)",
    arguments: Settling.allCases, Outcome.settled)
  @MainActor func onTheMainActor(_ settling: Settling, _ outcome: Outcome) async {
    let derived = settling.settle(as: outcome) { promise in
      promise.map(on: .main, fulfilled: { _ in events.append("handler") }, rejected: { _ in events.append("handler") })
    }
    events.append("end of block")
    await settlement(of: derived)
    #expect(events.entries == ["end of block", "handler"])
  }

  @Test(
    "A handler on an actor runs after the actor's current code (2.2.4)", arguments: Settling.allCases, Outcome.settled)
  func onAnActor(_ settling: Settling, _ outcome: Outcome) async {
    let recorder = EventRecorder()
    await settlement(of: recorder.work(settling, outcome))
    #expect(await recorder.events == ["end of block", "handler"])
  }

  @Test(
    "A handler attached inside a handler runs after the outer handler has returned (2.2.4)",
    arguments: Settling.allCases, Outcome.settled)
  func attachedInsideHandler(_ settling: Settling, _ outcome: Outcome) {
    settling.settle(as: outcome) { promise in
      promise.onSettled(on: context) { _ in
        events.append("begin")
        for form in Form.handling(outcome) {
          form.attach(to: promise, on: context) { _ in events.append("inner", returning: 0) }
        }
        events.append("end")
      }
    }
    context.runUntilIdle()
    #expect(events.entries == ["begin", "end"] + Form.handling(outcome).map { _ in "inner" })
  }

  @Test(
    "A promise settled inside a handler runs its own handlers after that handler has returned (2.2.4)",
    arguments: Settling.allCases, Outcome.settled)
  func settledInsideHandler(_ settling: Settling, _ outcome: Outcome) {
    let other = Deferred<Int>()
    Form.mapBoth.attach(to: other.promise, on: context) { _ in events.append("other", returning: 0) }
    settling.settle(as: outcome) { promise in
      promise.onSettled(on: context) { result in
        events.append("begin")
        other.settle(result)
        events.append("end")
      }
    }
    #expect(context.runUntilIdle() == 2)
    #expect(events.entries == ["begin", "end", "other"])
  }

  @Test("A body that makes a promise settles it without running its handlers (2.2.4)", arguments: Outcome.settled)
  func settledInsideBody(_ outcome: Outcome) {
    let promise = Promise<Int> { deferred in
      Form.mapBoth.attach(to: deferred.promise, on: context) { _ in events.append("handler", returning: 0) }
      deferred.settle(outcome.result)
      events.append("end of body")
    }
    #expect(events.entries == ["end of body"])
    context.runUntilIdle()
    #expect(events.entries == ["end of body", "handler"])
    expect(promise, shows: outcome)
  }
}

/// Waits until the promise is settled, on a context that runs its jobs by itself.
private func settlement<Value>(of promise: Promise<Value>) async {
  await withCheckedContinuation { done in promise.onSettled { _ in done.resume() } }
}

private actor EventRecorder {
  var events: [String] = []

  func work(_ settling: Settling, _ outcome: Outcome) -> Promise<Void> {
    let derived = settling.settle(as: outcome) { promise in
      promise.map(isolatedTo: self) { recorder, _ in
        recorder.events.append("handler")
      } rejected: { recorder, _ in
        recorder.events.append("handler")
      }
    }
    events.append("end of block")
    return derived
  }
}
