import PromiseCombinators
import Testing

extension Operation {
  /// Operations that combine promises.
  static let combining: [Operation] =
    Dictionary(grouping: Combinator<Parcel>.all, by: \.function).sorted { $0.key < $1.key }.map { function, policies in
      // Combinators of a sequence and of a dictionary have the same names in the listing.
      Operation("Promise.\(function.replacing("keyed ", with: ""))") { [last = policies.last] scene in
        let source = scene.source
        let other = other(scene)
        // An input that is already rejected would end a `race` before the scene ends.
        let others = function.contains("race") ? [other] : [.rejected(scene.error()), source]
        return try #require(last).combine([source, other] + others)
      }
    } + [
      Operation("Promise.join()") { scene in
        scene.source.map(on: scene.context) { [source = scene.source] _ in source.shielded() }.join()
      },
      Operation("Promise.asResult()") { $0.source.asResult() },
      Operation("Promise.unwrap(or:)") { scene in
        other(scene).map(on: scene.context) { Parcel?($0) }.unwrap(or: scene.value())
      },
      Operation("Promise.relay(to:)") { scene in
        let owner = Deferred<Parcel>()
        scene.keep(owner)
        scene.source.relay(to: owner)
        return owner.promise
      },
    ]

  /// A link that ends when the scene's promise ends.
  private static func other(_ scene: Scene) -> Promise<Parcel> {
    scene.source.map(on: scene.context) { [tracked = scene.capture()] value in tracked.carrying(value) }
  }
}
