import PromiseCore
import TestSupport
import Testing

/// `StateWord` in every state that can be reached, held against `StateDrawing`.
@Suite struct StateWordTests {
  @Test("rule 1.1: only the eight combinations of flags that are drawn can be reached, and all of them are")
  func flagsOfReachableStates() {
    let flags = Set(StateDrawing.all.map { $0.bits & 0xF })
    #expect(flags == [0b0000, 0b1000, 0b0001, 0b1001, 0b0011, 0b1011, 0b0111, 0b0100])
    #expect(StateDrawing.all.count > 400)
  }

  @Test("rules 1.1, 1.2, 4.0: the word says what the drawing says")
  func questions() {
    for state in StateDrawing.all {
      let word = state.word
      #expect(word.isClaimed == state.isClaimed)
      #expect(word.isDone == state.isDone)
      #expect(word.isClosed == (state.phase == .closed))
      #expect(word.isForwarded == (state.phase == .forwarded))
      #expect(word.isOpen == (state.phase == .pending))
      #expect(word.isPruning == state.isPruning)
      #expect(word.isRejected == (state.isClaimed && state.isRejected))
      #expect(word.isCancelled == (state.isClaimed && state.isCancelled))
      #expect(word.isCancelledByCall == (state.isClaimed && state.isCancelledByCall))
      #expect(word.isHandled == (state.isClaimed && state.isHandled))
      #expect(word.head == state.newest)
      #expect(word.consumers == state.consumers)
      #expect(word.wasConsumed == (state.hasPlain || state.hasForwarded))
      #expect(word.hasOnlyAdopters == !state.hasPlain)
    }
  }

  @Test("rule 2.1: a push keeps the list behind the new reaction, until the promise is closed or collapsed")
  func pushes() {
    for state in StateDrawing.all {
      for reaction in StateDrawing.reactions {
        for kind in [StateWord.ReactionKind.plain, .adopter] {
          for consumes in [true, false] {
            let push = state.word.push(reaction, as: kind, consumes: consumes)
            switch state.push(reaction, as: kind, consumes: consumes) {
            case let next?: #expect(push == .reaction(next.word, next: state.newest))
            case nil: #expect(push == (state.phase == .forwarded ? .forwarded : .fire))
            }
          }
        }
      }
    }
  }

  @Test(
    "rules 1.1, 1.2: the first claim wins and carries the mark; every later one changes nothing",
    arguments: [StateWord.Claim.fulfilling, .rejecting, .rejectingAsCancelled, .cancelling]
  )
  func claims(claim: StateWord.Claim) {
    for state in StateDrawing.all {
      #expect(state.word.claim(claim) == state.claim(claim)?.word)
    }
  }

  @Test("rule 2.1: publishing hands the list to exactly one: the publisher, or the pruner")
  func publications() {
    for state in StateDrawing.all where state.phase == .claimed {
      let next = state.publish()
      switch state.word.publish() {
      case .drain(let word, let list):
        #expect(word == next.word)
        #expect(list == state.newest && list != 0 && word.head == 0 && !word.isClosed)
      case .close(let word):
        #expect(word == next.word)
        #expect(state.newest == 0 && word.isClosed)
      case .leaveToPruner(let word):
        #expect(word == next.word)
        #expect(word.isPruning && word.head == state.newest && !word.isClosed)
      }
      #expect(next.word.isDone)
    }
  }

  @Test("rule 2.2: a promise closes only when nothing is left to fire; what was pushed meanwhile comes first")
  func closings() {
    for state in StateDrawing.all where state.phase == .done && !state.isPruning {
      let next = state.close()
      switch state.word.close() {
      case .closed(let word):
        #expect(state.newest == 0 && word == next.word && word.isClosed)
      case .drain(let word, let list):
        #expect(list == state.newest && list != 0 && word == next.word && !word.isClosed)
      }
    }
  }

  @Test("rule 4.9: only the list of a pending promise can be borrowed, by one at a time")
  func borrowings() {
    for state in StateDrawing.all {
      switch state.beginPruning() {
      case let next?:
        let begun = state.word.beginPruning()
        #expect(begun?.0 == next.word)
        #expect(begun?.list == state.newest)
      case nil:
        #expect(state.word.beginPruning() == nil)
      }
    }
  }

  @Test(
    "rule 4.9: a borrowed list comes back, or is fired by the borrower; reactions pushed meanwhile are never overwritten"
  )
  func returns() {
    for state in StateDrawing.all where state.isPruning {
      for list: UInt64 in [0, 0x10] {
        let next = state.endPruning(returning: list)
        switch state.word.endPruning(returning: list) {
        case .returned(let word):
          #expect(state.newest == 0 && !state.isDone && word == next.word && word.head == list)
        case .collect(let word, let pushed):
          #expect(pushed == state.newest && pushed != 0 && word == next.word && word.isPruning)
        case .drain(let word):
          #expect(state.newest == 0 && state.isDone && word == next.word && !word.isPruning && !word.isClosed)
        }
      }
    }
  }

  @Test("rules 4.0, 4.4: consumers are counted down to 0 and not below; whoever takes the last one is told")
  func consumers() {
    for state in StateDrawing.all {
      switch state.consumerLeft() {
      case let next?:
        let left = state.word.consumerLeft()
        #expect(left?.0 == next.word)
        #expect(left?.wasLast == (next.consumers == 0))
      case nil:
        #expect(state.word.consumerLeft() == nil)
      }
    }
  }

  @Test("A count that is full sticks: nobody takes the promise along any more", .rule("4.0"))
  func fullCount() {
    var word = StateWord.pending
    for _ in 0..<StateDrawing.most + 5 {
      guard case .reaction(let next, _) = word.push(0x10, as: .plain) else { break }
      word = next
    }
    #expect(word.consumers == StateDrawing.most)
    #expect(word.consumerLeft() == nil && word.consumerArrived() == nil)
    #expect(word.givenUp(isCounted: true) == nil && word.givenUp(isCounted: false) == nil)
    #expect(word.claim(.cancelling)?.isCancelled == true)
  }

  @Test("To give up claims what has no consumer left, and takes off one else", .rule("4.4"))
  func givesUp() {
    for state in StateDrawing.all {
      for isCounted in [true, false] {
        let after = state.word.givenUp(isCounted: isCounted)
        guard state.word.isOpen, state.word.consumers < StateDrawing.most else {
          #expect(after == nil)
          continue
        }
        let left = state.word.consumers - (isCounted ? 1 : 0)
        if left <= 0 {
          #expect(after?.isClaimed == true && after?.0 == state.word.claim(.cancelling))
        } else if isCounted {
          #expect(after?.isClaimed == false && after?.0.consumers == left && after?.0.head == state.word.head)
        } else {
          #expect(after == nil)
        }
      }
    }
  }

  @Test("Of what claims a promise, only a cancellation marks it", .rule("1.2"))
  func marks() {
    let word = StateWord.pending
    #expect(word.claim(.rejecting)?.isCancelled == false)
    #expect(word.claim(.cancelling)?.isHandled == false)
    #expect(word.claim(.timingOut)?.isCancelled == false && word.claim(.timingOut)?.isCancelledByCall == true)
    #expect(word.claim(.timingOut)?.isRejected == true && word.claim(.timingOut)?.isUnhandled == true)
  }

  @Test("rule 3.3: only a pending promise on which nothing but adopters wait can be collapsed, with its whole list")
  func moves() {
    for state in StateDrawing.all {
      switch state.forward() {
      case let next?:
        let forwarded = state.word.forward()
        #expect(forwarded?.0 == next.word)
        #expect(forwarded?.list == state.newest)
      case nil:
        #expect(state.word.forward() == nil)
      }
    }
  }

  @Test(
    "rules 1.1, 2.1: whatever happens, no list is lost: the old one is kept, handed out, or linked behind the new one")
  func listsAreConserved() {
    for state in StateDrawing.all where state.newest != 0 {
      let word = state.word
      if let claimed = word.claim(.cancelling) { #expect(claimed.head == word.head) }
      if let (left, _) = word.consumerLeft() { #expect(left.head == word.head) }
      if let (_, list) = word.beginPruning() { #expect(list == word.head) }
      if let (_, list) = word.forward() { #expect(list == word.head) }
      if case .reaction(_, let next) = word.push(0x30, as: .plain) { #expect(next == word.head) }
      if state.phase == .claimed {
        switch word.publish() {
        case .drain(_, let list): #expect(list == word.head)
        case .leaveToPruner(let next): #expect(next.head == word.head)
        case .close: Issue.record("closed over a list: \(state)")
        }
      }
      if state.phase == .done, !state.isPruning, case .closed = word.close() {
        Issue.record("closed over a list: \(state)")
      }
      if state.isPruning {
        guard case .collect(_, let list) = word.endPruning(returning: 0x40) else {
          Issue.record("returned over a list: \(state)")
          continue
        }
        #expect(list == word.head)
      }
    }
  }

  @Test("rule 1.1: a promise that is born settled is closed, and neither cancelled nor looked at")
  func initiallySettled() {
    let word = StateWord.initiallySettled
    #expect(word == StateDrawing(phase: .closed).word)
    #expect(word.isClosed && !word.isCancelled && !word.isHandled)
    #expect(StateWord.pending == StateDrawing().word)
  }
}
