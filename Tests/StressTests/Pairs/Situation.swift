import PromiseCombinators
import TestSupport

/// The relation between the promises on which the two sides work.
enum Situation: String, CaseIterable, Sendable {
  case same, unobserved, handler, link, sibling, adopted, input

  /// The operations of the two sides. In a symmetric situation, each pair is fought once.
  var operations: (first: [Operation<Node>], second: [Operation<Node>]) {
    let clients = Operation<Node>.ofClients
    let owners = Operation<Node>.ofOwners + clients
    let handlers = Operation<Node>.ofHandlers + clients
    return switch self {
    case .same, .unobserved: (owners, owners)
    case .handler: (handlers, handlers)
    case .link, .input: (owners, clients)
    case .adopted: (owners, owners)
    case .sibling: (clients, clients)
    }
  }

  var isSymmetric: Bool { [.same, .unobserved, .handler, .sibling].contains(self) }

  /// Whether both sides work on one promise. In `unobserved`, the owner and the clients have separate promises.
  var isOfOne: Bool { self == .same || self == .handler }

  /// Whether the second side can settle the promise of the first side only by giving it up.
  var isOneWay: Bool { self == .link || self == .input }

  /// Returns the promises of the two sides.
  func nodes(on stage: PromiseStage) -> (first: Node, second: Node) {
    let owner = Deferred<Tracked>(cancelsWithoutClients: self == .unobserved)
    let source = owner.promise
    switch self {
    case .same, .unobserved:
      let node = Node(stage, source, owner: owner)
      return (node, node)
    case .handler:
      let derived = Promise.fulfilled(stage.value()).map(on: stage.context) { $0 }
      let node = Node(stage, derived, job: stage.context.takeFirst())
      return (node, node)
    case .link:
      return (Node(stage, source, owner: owner), Node(stage, source.map(on: stage.context) { $0 }))
    case .sibling:
      let parent = stage.other().promise
      return (
        Node(stage, parent.map(on: stage.context) { $0 }), Node(stage, parent.always(on: stage.context) { _ in })
      )
    case .adopted:
      let outer = Deferred<Tracked>()
      outer.follow(source)
      return (Node(stage, source, owner: owner), Node(stage, outer.promise, owner: outer))
    case .input:
      return (Node(stage, source, owner: owner), Node(stage, .race([source, stage.other().promise])))
    }
  }
}
