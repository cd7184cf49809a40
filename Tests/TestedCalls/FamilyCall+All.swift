import PromiseContexts

extension FamilyCall {
  /// Every operation of every family, called.
  package static let all: [FamilyCall] = {
    var calls: [FamilyCall] = []
    core { calls.append(FamilyCall(family: .core, operation: $0, isAsync: $1, run: $2)) }
    pool { calls.append(FamilyCall(family: .pool, operation: $0, isAsync: $1, run: $2)) }
    main { calls.append(FamilyCall(family: .main, operation: $0, isAsync: $1, run: $2)) }
    actor { calls.append(FamilyCall(family: .actor, operation: $0, isAsync: $1, run: $2)) }
    onContext { calls.append(FamilyCall(family: .onContext, operation: $0, isAsync: $1, run: $2)) }
    onMain { calls.append(FamilyCall(family: .onMain, operation: $0, isAsync: $1, run: $2)) }
    onActor { calls.append(FamilyCall(family: .onActor, operation: $0, isAsync: $1, run: $2)) }
    return calls
  }()

  typealias Adding = (_ operation: String, _ isAsync: Bool, _ run: @escaping Run) -> Void
}
