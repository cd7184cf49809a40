/// The entries that wait for a promise, in the order in which they were attached.
///
/// A doubly linked list through the entries, so that any of them is removed in constant time. The list retains each
/// entry. Guarded by the lock of the promise. A list that was taken out belongs to the thread that took it.
struct EntryList: Sequence {
  private(set) var first: PromisePointer?
  private(set) var last: PromisePointer?

  var isEmpty: Bool { first == nil }

  var hasOne: Bool { first != nil && first == last }

  /// Whether some entry gets a place in the tour.
  var hasMembers: Bool { contains { $0.with { $0.traits.hasPlace } } }

  /// Appends an entry. The list takes over a reference.
  @inline(__always)
  mutating func append(_ entry: PromisePointer) {
    let last = last
    entry.with { entry in
      unsafe entry.link.pointee.previous = last
      unsafe entry.link.pointee.next = nil
    }
    if let last { last.with { unsafe $0.link.pointee.next = entry } } else { first = entry }
    self.last = entry
  }

  /// Puts an entry before all others. The list takes over a reference.
  mutating func prepend(_ entry: PromisePointer) {
    let first = first
    entry.with { unsafe $0.link.pointee.next = first }
    if let first { first.with { unsafe $0.link.pointee.previous = entry } } else { last = entry }
    self.first = entry
  }

  /// Whether an entry is in this list, which is that of its source.
  func contains(_ entry: AnyPromise) -> Bool {
    unsafe entry.link.pointee.previous != nil || first == PromisePointer(entry)
  }

  /// Removes an entry. The caller takes over the reference.
  mutating func remove(_ entry: AnyPromise) {
    assert(contains(entry), "An entry was removed that is not in the list.")
    let previous = unsafe entry.link.pointee.previous
    let next = unsafe entry.link.pointee.next
    if let previous { previous.with { unsafe $0.link.pointee.next = next } } else { first = next }
    if let next { next.with { unsafe $0.link.pointee.previous = previous } } else { last = previous }
    unsafe entry.link.pointee.previous = nil
    unsafe entry.link.pointee.next = nil
  }

  /// Puts other entries in the place of one. The references change owners as in `append` and `remove`.
  mutating func replace(_ entry: AnyPromise, by others: EntryList) {
    assert(contains(entry) && !others.isEmpty, "An entry was replaced that is not in the list.")
    let previous = unsafe entry.link.pointee.previous
    let next = unsafe entry.link.pointee.next
    others.first?.with { unsafe $0.link.pointee.previous = previous }
    others.last?.with { unsafe $0.link.pointee.next = next }
    if let previous { previous.with { unsafe $0.link.pointee.next = others.first } } else { first = others.first }
    if let next { next.with { unsafe $0.link.pointee.previous = others.last } } else { last = others.last }
    unsafe entry.link.pointee.previous = nil
    unsafe entry.link.pointee.next = nil
  }

  /// Removes and returns the first entry, with the reference to it.
  @inline(__always)
  mutating func popFirst() -> PromisePointer? {
    guard let entry = first else { return nil }
    first = entry.with { entry in
      let next = unsafe entry.link.pointee.next
      unsafe entry.link.pointee.previous = nil
      unsafe entry.link.pointee.next = nil
      return next
    }
    if first == nil { last = nil } else { first?.with { unsafe $0.link.pointee.previous = nil } }
    return entry
  }

  func makeIterator() -> Iterator { Iterator(upcoming: first) }

  struct Iterator: IteratorProtocol {
    fileprivate var upcoming: PromisePointer?

    mutating func next() -> PromisePointer? {
      let entry = upcoming
      upcoming = entry?.with { unsafe $0.link.pointee.next }
      return entry
    }
  }
}

extension AnyPromise {
  /// The list of this pending promise. Under the lock.
  final var list: EntryList {
    @inline(__always) get { EntryList(first: head, last: tail) }
    @inline(__always) set {
      head = newValue.first?.address ?? 0
      tail = newValue.last?.address ?? 0
    }
  }
}

extension EntryList {
  @inline(__always)
  fileprivate init(first: UInt, last: UInt) {
    self.first = first == 0 ? nil : PromisePointer(address: first)
    self.last = last == 0 ? nil : PromisePointer(address: last)
  }
}
