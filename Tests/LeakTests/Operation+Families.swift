extension Operation {
  /// The links and observers of all families.
  static let families: [Operation] = FamilyCall.all.map { call in
    Operation(call.listedName) { scene in
      let probe = Probe(scene.capture())
      // The probe has a context of its own, which the world of the scene does not run.
      scene.keep(Running(probe.manual))
      return call.run(scene.source, probe)
    }
  }
}

/// Runs the jobs of a context when it is deallocated.
private final class Running: Sendable {
  private let context: ManualContext
  init(_ context: ManualContext) { self.context = context }
  deinit { context.runUntilIdle() }
}

extension FamilyCall {
  /// The name of the call as ``Listing`` writes it. It depends on the family, because families differ in their labels.
  fileprivate var listedName: String {
    let name = operation.prefix { $0 != "(" }
    var labels = operation.dropFirst(name.count + 1).prefix { $0 != ")" }.split(separator: ":").map(String.init)
    labels.removeAll { $0 == "fileID" || $0 == "line" }
    let place = labels.firstIndex(of: "on") ?? labels.prefix { $0 == "from" || $0 == "only" }.count
    if labels.first(where: { $0 == "on" }) != nil, family != .core { labels.remove(at: place) }
    switch family {
    case .main: labels.insert("on main", at: place)
    case .actor: labels.insert("isolatedTo", at: place)
    case .core, .pool, .onContext, .onMain, .onActor: break
    }
    let type =
      switch family {
      case .core, .pool, .main, .actor: "Promise"
      case .onContext: "PromiseOnContext"
      case .onMain: "PromiseOnMain"
      case .onActor: "PromiseOnActor"
      }
    return "\(type).\(name)(\(labels.map { "\($0):" }.joined()))"
  }
}
