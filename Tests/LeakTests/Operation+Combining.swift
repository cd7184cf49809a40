import PromiseCombinators

extension Operation {
  /// Operations that combine promises.
  static let combining: [Operation] =
    Combinator<Parcel>.all.reduce(into: [String: Combinator<Parcel>]()) { $0[$1.function] = $1 }.values.map { last in
      // Combinators of a sequence and of a dictionary have the same names in the listing.
      Operation("Promise.\(last.function.replacing("keyed ", with: ""))") { scene in
        let (source, other) = (scene.source, other(scene))
        // An input that is already rejected would end a `race` before the scene ends.
        let others = last.function.contains("race") ? [other] : [.rejected(scene.error()), source]
        return last.combine([source, other] + others)
      }
    } + [
      Operation("Promise.join()") { scene in
        scene.source.map(on: scene.context) { [source = scene.source] _ in source.shielded() }.join()
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
