import TestSupport

/// Makes the relation of a scene, with handlers that record their arguments.
struct CancelSceneBuilder: Sendable {
  typealias Table = CancelTruthTable
  typealias Tree = (derived: AnyPromise, below: AnyPromise)

  let stage: Table.Stage
  let context: ManualContext
  let source: Promise<Int>
  let inner: Promise<Int>
  let seen: Log<Result<Int, any Error>>
  let hooks: Log<(role: Table.Role, reason: any Error)>
  let captures: (forValues: Tracked.Census, others: Tracked.Census)

  /// Owners that the scene retains.
  let owners = Log<Deferred<Int>>()
  /// An action that the first handler runs once.
  let whenRunning = Locked<(@Sendable () -> Void)?>(nil)

  func build(_ relation: Table.Relation) -> Tree {
    switch relation {
    case .kind(let kind):
      // An observer returns its source, and `below` is then beside the observer.
      tree(
        kind.attach(
          to: source, on: context, forValue: value, forError: error, forOutcome: outcome, returning: promise(for:)))
    case .other(let other): build(other)
    }
  }

  private func build(_ relation: Table.Relation.Other) -> Tree {
    switch relation {
    case .asVoid: tree(source.asVoid())
    case .shielded: tree(source.shielded())
    case .follow: tree(follower())
    case .thenRecovered: recoveredTree(source.then(on: context) { [inner] _ in inner })
    case .followRecovered: recoveredTree(follower())
    case .promiseOn: tree(Promise<Int>(on: context) { [start] in _ = start($0) })
    case .run: tree(Promise<Int>.run(on: context) { [start] in start(nil) })
    }
  }

  private func tree<Value>(_ derived: Promise<Value>) -> Tree { (derived, derived.map(on: context) { $0 }) }

  private func recoveredTree(_ derived: Promise<Int>) -> Tree { (derived, derived.recover(on: context, error)) }

  private func follower() -> Promise<Int> {
    let owner = Deferred<Int>()
    keep(owner)
    owner.follow(source)
    return owner.promise
  }

  private func keep(_ owner: Deferred<Int>) {
    owners.append(owner)
    owner.onCancel(on: .atOnce) { [hooks] in hooks.append((.derived, $0)) }
  }
}

// MARK: - Handlers
// Each use makes a new handler, so that only the relation retains the captured objects.

extension CancelSceneBuilder {
  private func tell(_ result: Result<Int, any Error>) {
    seen.append(result)
    whenRunning.withLock { $0.take() }?()
  }

  private var value: @Sendable (Int) -> Int {
    { [tracked = Tracked(captures.forValues)] value in
      withExtendedLifetime(tracked) { tell(.success(value)) }
      return value
    }
  }

  private var error: @Sendable (any Error) -> Int {
    { [tracked = Tracked(captures.others)] error in
      withExtendedLifetime(tracked) { tell(.failure(error)) }
      return 4
    }
  }

  private var outcome: @Sendable (Result<Int, any Error>) -> Void {
    { [tracked = Tracked(captures.others)] result in withExtendedLifetime(tracked) { tell(result) } }
  }

  private var start: @Sendable (Deferred<Int>?) -> Int {
    { [tracked = Tracked(captures.forValues)] owner in
      owner.map(keep)
      withExtendedLifetime(tracked) { tell(.success(0)) }
      return 4
    }
  }

  /// Returns the promise that the handler of a `then` or `rescue` returns.
  private func promise(for value: Int) -> Promise<Int> {
    stage.returnsInner ? inner : .fulfilled(value)
  }
}
