import PromiseCore

/// The drawing at `StateWord`, written down once more in plain terms: no bits, no tricks. The tests hold the word against it.
struct StateDrawing: Hashable {
  enum Phase { case pending, claimed, done, closed, forwarded }

  var phase = Phase.pending
  var isPruning = false
  var newest: UInt64 = 0
  var consumers = 0
  var isRejected = false
  var isCancelled = false
  var isHandled = false
  var isCancelledByCall = false
  var hasPlain = false
  var hasForwarded = false

  static let most = 0x3FFF

  var bits: UInt64 {
    let flags: UInt64 =
      switch phase {
      case .pending: 0b0000
      case .claimed: 0b0001
      case .done: 0b0011
      case .closed: 0b0111
      case .forwarded: 0b0100
      }
    var bits = flags | newest
    if isPruning { bits |= 0b1000 }
    bits |= isClaimed ? outcome : UInt64(consumers) << 48
    if hasPlain { bits |= 1 << 62 }
    if hasForwarded { bits |= 1 << 63 }
    return bits
  }

  private var outcome: UInt64 {
    (isRejected ? 1 << 48 : 0) | (isCancelled ? 1 << 49 : 0) | (isHandled ? 1 << 50 : 0)
      | (isCancelledByCall ? 1 << 51 : 0)
  }

  var word: StateWord { StateWord(bits: bits) }

  var isClaimed: Bool { phase == .claimed || phase == .done || phase == .closed }
  var isDone: Bool { phase == .done || phase == .closed }
  var isFinal: Bool { phase == .closed || phase == .forwarded }

  /// The same, changed.
  private func with(_ change: (inout StateDrawing) -> Void) -> StateDrawing {
    var copy = self
    change(&copy)
    return copy
  }
}

// MARK: - The arrows

extension StateDrawing {
  /// Anyone may push until the promise is closed or forwarded. Only a pending promise counts its consumers.
  func push(_ reaction: UInt64, as kind: StateWord.ReactionKind, consumes: Bool) -> StateDrawing? {
    if isFinal { return nil }
    return with {
      $0.newest = reaction
      if kind == .plain { $0.hasPlain = true } else { $0.hasForwarded = true }
      if consumes, phase == .pending { $0.consumers = min(consumers + 1, Self.most) }
    }
  }

  func claim(_ claim: StateWord.Claim) -> StateDrawing? {
    guard phase == .pending else { return nil }
    return with {
      $0.phase = .claimed
      $0.consumers = 0
      $0.isRejected = claim != .fulfilling
      $0.isCancelled = claim == .cancelling || claim == .rejectingAsCancelled
      $0.isCancelledByCall = claim == .cancelling
    }
  }

  func publish() -> StateDrawing {
    with {
      if isPruning {
        $0.phase = .done
      } else if newest == 0 {
        $0.phase = .closed
      } else {
        $0.phase = .done
        $0.newest = 0
      }
    }
  }

  func close() -> StateDrawing {
    with { if newest == 0 { $0.phase = .closed } else { $0.newest = 0 } }
  }

  func beginPruning() -> StateDrawing? {
    guard phase == .pending, !isPruning, newest != 0 else { return nil }
    return with {
      $0.isPruning = true
      $0.newest = 0
    }
  }

  func endPruning(returning list: UInt64) -> StateDrawing {
    with {
      if newest != 0 {
        $0.newest = 0
      } else {
        $0.isPruning = false
        if !isDone { $0.newest = list }
      }
    }
  }

  func consumerLeft() -> StateDrawing? {
    guard phase == .pending, consumers > 0, consumers < Self.most else { return nil }
    return with { $0.consumers -= 1 }
  }

  func forward() -> StateDrawing? {
    guard phase == .pending, !isPruning, !hasPlain else { return nil }
    return StateDrawing(phase: .forwarded)
  }
}

// MARK: - All of them

extension StateDrawing {
  static let reactions: [UInt64] = [0x10, 0x7FFF_FFFF_FFF0, 0x20]

  /// Everything that may happen to a promise in this state, by whoever has the right to do it.
  var successors: [StateDrawing] {
    var all: [StateDrawing?] = [
      claim(.fulfilling), claim(.rejecting), claim(.rejectingAsCancelled), claim(.cancelling), beginPruning(),
      consumerLeft(), forward(),
    ]
    for reaction in Self.reactions {
      for kind in [StateWord.ReactionKind.plain, .adopter] {
        all.append(push(reaction, as: kind, consumes: true))
        all.append(push(reaction, as: kind, consumes: false))
      }
    }
    if phase == .claimed { all.append(publish()) }
    if phase == .done, !isPruning { all.append(close()) }
    if isPruning { all += [0, 0x10].map { endPruning(returning: $0) } }
    if isClaimed, !isHandled {
      var handled = self
      handled.isHandled = true
      all.append(handled)
    }
    return all.compactMap { $0 }
  }

  /// All states that can be reached from `roots`, with counts near them.
  static func reachable(from roots: [StateDrawing], counts: Range<Int>) -> Set<StateDrawing> {
    var found = Set(roots)
    var open = roots
    while let state = open.popLast() {
      for next in state.successors where found.insert(next).inserted {
        if next.phase != .pending || counts.contains(next.consumers) { open.append(next) }
      }
    }
    return found
  }

  /// From a fresh promise with few consumers, and from one whose count is about to stick.
  static let all: [StateDrawing] = {
    let crowded = StateDrawing(newest: 0x10, consumers: most - 2, hasPlain: true)
    let crowdOfForwards = StateDrawing(newest: 0x10, consumers: most - 2, hasForwarded: true)
    return Array(
      reachable(from: [StateDrawing()], counts: 0..<3)
        .union(reachable(from: [crowded, crowdOfForwards], counts: most - 3..<most + 1)))
  }()
}
