import CAllocations
import PromiseRecording
import Testing

/// Tests that the writers of a recording do not read or copy what they have written for each byte that they append.
///
/// A debug build has the same counts, so this suite does not belong to `MemoryTests`.
@Suite(
  "Allocations of the texts of a recording",
  .enabled(if: allocations_are_counted(), "the allocator is counted on 64-bit Linux only, and not under a sanitizer"))
struct RecordingMemoryTests {
  /// The last byte of the line separator U+2028 is A8. Each of these texts but the first contains A8 or A9.
  static let texts = ["x", "é", "è", "Chargement terminé", "\u{2028}", "\u{2029}", "娩"]

  /// Returns how many blocks the body requests, when it is called a second time.
  private func count(_ body: () -> String) -> Int64 {
    _ = body()
    let before = allocations_made()
    let text = body()
    return withExtendedLifetime(text) { allocations_made() - before }
  }

  /// Expects that a text of many characters costs no more blocks than the growth of a few arrays.
  private func expectFew(for text: String, _ body: (String) -> String) {
    let short = String(repeating: text, count: 100)
    let long = String(repeating: text, count: 400)
    let more = count { body(long) } - count { body(short) }
    #expect(more <= 16)
  }

  @Test("A page allocates nothing for each character of its title", arguments: texts)
  func title(text: String) { expectFew(for: text) { Recording(events: [], duration: .zero).page(title: $0) } }

  @Test("A page and a trace allocate nothing for each character of a label", arguments: texts)
  func label(text: String) {
    func recording(_ label: String) -> Recording {
      let creation = Recording.Creation(id: 1, operation: "map", type: "Promise<Int>", createdAt: CreationSite())
      let kinds: [Recording.Event.Kind] = [.created(creation), .labeled(1, label)]
      return Recording(events: kinds.map { .init(time: .zero, thread: 1, kind: $0) }, duration: .zero)
    }
    expectFew(for: text) { recording($0).page(title: "") }
    expectFew(for: text) { recording($0).trace }
  }
}
