public import PromiseCore

extension Diagnostics {
  /// Whether promises that are made from now on are entered into the register of pending promises, for
  /// ``pending(olderThan:)``. The default is `false`.
  ///
  /// May be changed at any time, from any thread, in any build. While it is on, every promise that is made costs
  /// three more objects and an entry in a table until it has finished (rule 2.11). Before it is first on, a promise costs
  /// nothing more.
  public static var recordsPendingPromises: Bool {
    get { isRegistering }
    set { setRegistering(newValue, in: PendingRegister.table) }
  }

  /// Returns the promises that are pending now, and those that are settled and have not finished (rule 2.11). Only
  /// promises that were made while ``recordsPendingPromises`` was on are known.
  ///
  /// ```swift
  /// Diagnostics.recordsPendingPromises = true
  /// // later
  /// print(Diagnostics.pending())
  /// ```
  ///
  /// May be called from any thread. It takes no snapshot of one moment, because it stops no other thread.
  ///
  /// - Parameter age: only promises that were made at least this long ago are counted.
  /// - Complexity: O(*n* log *n*), where *n* is the number of promises in the register.
  public static func pending(olderThan age: Duration = .zero) -> PendingPromises {
    PendingPromises(olderThan: age, at: PendingRegister.now)
  }

  /// Returns the promises that are at least this old, if one of them was younger at an earlier look.
  ///
  /// - Parameters:
  ///   - time: the time on the clock of the register.
  ///   - lastLook: the time of that look. With `nil`, there was none.
  /// - Returns: `nil` as `promises` if none was younger, and whether there are any.
  package static func pending(
    olderThan age: Duration, at time: Duration, newSince lastLook: Duration?
  ) -> (promises: PendingPromises?, isEmpty: Bool) {
    let all = promises(olderThan: age, at: time)
    guard let newest = all.last else { return (nil, true) }
    let isNew = lastLook.map { time - newest.time - age < time - $0 } ?? true
    // Without the search for causes, which takes longer than everything else.
    return (isNew ? PendingPromises(all, at: time) : nil, false)
  }

  /// The oldest first.
  fileprivate static func promises(olderThan age: Duration, at time: Duration) -> [EnrolledPromise] {
    PendingRegister.table.promises.filter { time - $0.time >= age }
  }

  /// Returns the distinct causes of the waits of all promises that are pending or have not finished. Only promises that
  /// were made while ``recordsPendingPromises`` was on are known, and the promises for which these wait.
  ///
  /// ```swift
  /// Diagnostics.recordsPendingPromises = true
  /// // later
  /// print(Diagnostics.causes())
  /// ```
  ///
  /// May be called from any thread. It takes no snapshot of one moment, because it stops no other thread. The causes
  /// and the limits are those of `promise.causes`.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of promises in the register, and of the waits between them.
  public static func causes() -> WaitCauses {
    var search = CauseSearch()
    for promise in PendingRegister.table.promises { search.visit(promise) }
    return search.causes
  }
}

/// The promises of a program that are pending, as ``/PromiseCore/Diagnostics/pending(olderThan:)`` returns them, and
/// apart from these the settled promises that have not finished (rule 2.11), with the causes of their waits.
public struct PendingPromises: Sendable {
  /// The promises that were made by one operator at one place in the source.
  public struct Group: Sendable {
    /// The place where they were made.
    public let createdAt: CreationSite
    /// The operator that made them, or "Promise.task" or "a timer". `nil` for promises of owners.
    public let operation: String?
    /// The most frequent labels, at most four, each with the number of promises that have it. URLs in them are
    /// shortened, unless ``/PromiseCore/Diagnostics/showsWholeURLs`` is on.
    public let labels: [(text: String, count: Int)]
    /// The number of different labels.
    public let labelCount: Int
    /// The number of promises.
    public let count: Int
    /// The age of the oldest.
    public let oldestAge: Duration
    /// The age of the newest.
    public let newestAge: Duration
  }

  /// The distinct causes of the waits of all these promises.
  public let causes: WaitCauses
  /// The number of pending promises.
  public let count: Int
  /// The pending promises by place, the most numerous first.
  public let groups: [Group]
  /// The oldest pending promises with different causes, at most eight, each with everything for which it waits. Of
  /// promises that have the same causes only the oldest is contained, and of promises of one place only two.
  public let oldest: [WaitNode]
  /// The number of promises that are settled and have not finished.
  public let unfinishedCount: Int
  /// The promises that are settled and have not finished, by place, the most numerous first.
  public let unfinishedGroups: [Group]
  /// The oldest promises that are settled and have not finished, as in `oldest`, each with what still runs.
  public let oldestUnfinished: [WaitNode]

  fileprivate init(olderThan age: Duration, at time: Duration) {
    self.init(Diagnostics.promises(olderThan: age, at: time), at: time)
  }

  /// - Parameters:
  ///   - promises: the oldest first.
  ///   - time: the time on the clock of the register.
  fileprivate init(_ promises: [EnrolledPromise], at time: Duration) {
    let pending = promises.filter(\.isPending)
    let unfinished = promises.filter { !$0.isPending }
    var search = CauseSearch()
    count = pending.count
    groups = Group.groups(of: pending, at: time)
    oldest = Self.oldest(of: pending, &search)
    unfinishedCount = unfinished.count
    unfinishedGroups = Group.groups(of: unfinished, at: time)
    oldestUnfinished = Self.oldest(of: unfinished, &search)
    causes = search.causes
  }

  private static func oldest(of promises: [EnrolledPromise], _ search: inout CauseSearch) -> [WaitNode] {
    var sets: Set<Int> = []
    var places: [CreationSite: Int] = [:]
    var oldest: [EnrolledPromise] = []
    for promise in promises {
      let set = search.visit(promise)
      guard oldest.count < 8, sets.insert(set).inserted else { continue }
      let place = promise.origin.site
      places[place, default: 0] += 1
      if places[place, default: 0] <= 2 { oldest.append(promise) }
    }
    return oldest.map(\.waitNode)
  }
}

extension PendingPromises.Group {
  private static let mostLabels = 4

  /// - Parameter promises: the oldest first.
  fileprivate static func groups(of promises: [EnrolledPromise], at time: Duration) -> [Self] {
    struct Key: Hashable {
      let site: CreationSite
      let operation: Operation?
    }
    struct Content {
      var count = 0
      var labels: [String: Int] = [:]
      let oldestAge: Duration
      var newestAge: Duration
    }
    var contents: [Key: Content] = [:]
    for promise in promises {
      let origin = promise.origin
      let age = time - promise.time
      let key = Key(site: origin.site, operation: origin.operation)
      var content = contents.removeValue(forKey: key) ?? Content(oldestAge: age, newestAge: age)
      content.count += 1
      content.newestAge = age
      if let label = origin.label { content.labels[label, default: 0] += 1 }
      contents[key] = content
    }
    let groups = contents.map { key, content in
      // Among equal numbers in the order of the alphabet, so that two reports can be compared.
      let labels = content.labels.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      return Self(
        createdAt: key.site, operation: key.operation?.name,
        labels: labels.prefix(mostLabels).map { (shorteningURLs(in: $0.key), $0.value) }, labelCount: labels.count,
        count: content.count, oldestAge: content.oldestAge, newestAge: content.newestAge)
    }
    return groups.sorted { ($0.count, $0.oldestAge) > ($1.count, $1.oldestAge) }
  }

  /// The line of the place, and a line of labels if there are any.
  fileprivate var lines: [String] {
    let place = "  \(count) made by \(operation ?? "an owner") at \(createdAt), the oldest \(oldestAge.inReports) ago"
    if labels.isEmpty { return [place] }
    var texts = labels.map { "\(quotedLabel($0.text)) (\($0.count))" }
    if labelCount > labels.count { texts.append("… \(labelCount - labels.count) more") }
    return [place, "    labels: \(texts.joined(separator: ", "))"]
  }
}

extension PendingPromises: CustomStringConvertible {
  private static let mostCauses = 8
  private static let mostGroups = 20

  /// The causes, then the number of promises, lines for each group, and the trees of the oldest promises. The same
  /// numbers, groups and trees follow for promises that are settled and have not finished, if there are any.
  public var description: String {
    var lines = causes.lines(atMost: Self.mostCauses)
    lines += count > 0 ? Self.lines(count, "pending", groups, oldest) : ["no promise is pending"]
    if unfinishedCount > 0 {
      lines += Self.lines(unfinishedCount, "settled and not finished", unfinishedGroups, oldestUnfinished)
    }
    return lines.joined(separator: "\n")
  }

  private static func lines(_ count: Int, _ state: String, _ groups: [Group], _ oldest: [WaitNode]) -> [String] {
    var lines = [count == 1 ? "1 promise is \(state):" : "\(count) promises are \(state):"]
    lines += groups.prefix(mostGroups).flatMap(\.lines)
    if groups.count > mostGroups { lines.append("  … \(groups.count - mostGroups) more places") }
    for node in oldest {
      lines += node.lines(at: 0).map { depth, text in
        String(repeating: "  ", count: depth) + (depth == 0 ? String(text.dropFirst("waits for ".count)) : text)
      }
    }
    return lines
  }
}
