/// What is scheduled on one context together.
protocol ContextGroup<Element> {
  associatedtype Element

  var context: any ExecutionContext { get }

  init(_ element: Element, on context: any ExecutionContext)

  mutating func add(_ element: Element)
  func schedule()
}

/// Groups what is to be scheduled by the identities of the contexts (rule 2.2).
struct ContextGroups<Group: ContextGroup> {
  /// The groups, in the order of their first elements.
  private(set) var all: [Group] = []
  private var indices: [ObjectIdentifier: Int] = [:]
  /// The index of the group to which the last element was added, if other elements may join that group. The next
  /// element usually has the same context, which then need not be asked for its identity.
  private var last: Int?

  var isEmpty: Bool { all.isEmpty }

  /// Adds an element to the group of its context.
  ///
  /// - Parameter groupsByObject: whether the elements of a context without an identity form one group. Otherwise each of
  ///   them is a group of its own.
  @inline(__always)
  mutating func add(
    _ element: Group.Element, on context: any ExecutionContext, groupingByObject groupsByObject: Bool = false
  ) {
    if let last, all[last].context === context { return all[last].add(element) }
    guard let identity = context.identity ?? (groupsByObject ? ObjectIdentifier(context) : nil) else {
      last = nil
      return all.append(Group(element, on: context))
    }
    if let index = indices[identity] {
      all[index].add(element)
      last = index
    } else {
      last = all.count
      indices[identity] = all.count
      all.append(Group(element, on: context))
    }
  }

  func schedule() {
    for group in all { group.schedule() }
  }
}
