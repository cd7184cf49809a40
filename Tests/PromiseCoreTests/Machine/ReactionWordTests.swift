import PromiseCore
import Testing

@Suite struct ReactionWordTests {
  static let flags: [UInt64] = (0..<8).map { $0 }
  static let addresses: [UInt64] = [0, 0x10, 0x20, 0x7FFF_FFFF_FFF0, 0xFFFF_FFFF_FFF0]
  static let traits = (0..<16).map { Reaction.Traits(rawValue: $0) } + [Reaction.Traits(rawValue: .max)]

  @Test("rules 2.1, 2.5: a fresh link is neither started nor detached, is in no list, and handles what it was made for")
  func fresh() {
    for traits in Self.traits {
      let word = ReactionWord(traits)
      #expect(!word.isStarted && !word.isDetached && word.next == 0)
      #expect(word.traits == traits)
    }
  }

  @Test("rules 2.1, 2.5: state, traits and the pointer to the next link do not touch each other")
  func fields() {
    for traits in Self.traits {
      for flags in Self.flags {
        for next in Self.addresses {
          let word = ReactionWord(bits: ReactionWord(traits).bits | flags | next)
          #expect(word.isStarted == (flags & 1 != 0))
          #expect(word.isDetached == (flags & 4 != 0))
          #expect(word.next == next)
          #expect(word.traits == traits)
        }
      }
    }
  }

  @Test("rule 2.2: relinking flips the bits of the pointer and no others, whatever is started or detached meanwhile")
  func flips() {
    for flags in Self.flags {
      for old in Self.addresses {
        for new in Self.addresses {
          let word = ReactionWord(bits: ReactionWord([.value, .adopts]).bits | flags | old)
          let flip = word.flip(next: new)
          #expect(flip & ~0x0000_FFFF_FFFF_FFF0 == 0)
          // Started or detached by another thread between the look and the flip.
          let found = ReactionWord(bits: (word.bits | 5) ^ flip)
          #expect(found.next == new && found.isStarted && found.isDetached && found.traits == word.traits)
        }
      }
    }
  }
}
