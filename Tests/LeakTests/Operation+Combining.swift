import LinkFamilies
import PromiseCombinators
import TestSupport

extension Operation {
  /// Operations that combine promises. The inputs are the scene's promise, a rejected promise and a derived promise.
  static let combining: [Operation] = [
    Operation("Promise.all(_:onFailure:)") { Promise.all(inputs(of: $0), onFailure: .cancelRemaining) },
    Operation("Promise.all(_:_:_:onFailure:)") { scene in
      Promise.all(scene.source, other(scene), other(scene), onFailure: .cancelRemaining)
    },
    Operation("Promise.allSettled(_:)") { Promise.allSettled(inputs(of: $0)) },
    Operation("Promise.allSettled(_:atLeast:)") { Promise.allSettled(inputs(of: $0), atLeast: 2) },
    Operation("Promise.allSettled(_:_:_:atLeast:)") { scene in
      Promise.allSettled(scene.source, other(scene), other(scene), atLeast: 2)
    },
    Operation("Promise.any(_:_:cancelsLosers:)") { Promise.any($0.source, other($0), cancelsLosers: true) },
    Operation("Promise.race(_:_:cancelsLosers:)") { Promise.race($0.source, other($0), cancelsLosers: true) },
    Operation("Promise.any(_:cancelsLosers:)") { Promise.any(inputs(of: $0), cancelsLosers: true) },
    Operation("Promise.race(_:cancelsLosers:)") {
      Promise.race([other($0), $0.source, other($0)], cancelsLosers: true)
    },
    Operation("Promise.all(_:onFailure:)") { Promise.all(keyed($0), onFailure: .cancelRemaining) },
    Operation("Promise.allSettled(_:atLeast:)") { Promise.allSettled(keyed($0), atLeast: 2) },
    Operation("Promise.any(_:cancelsLosers:)") { Promise.any(keyed($0), cancelsLosers: true) },
    Operation("Promise.race(_:cancelsLosers:)") { Promise.race(keyed($0), cancelsLosers: true) },
    Operation("Promise.any(enumerating:cancelsLosers:)") {
      Promise.any(enumerating: inputs(of: $0), cancelsLosers: true)
    },
    Operation("Promise.race(enumerating:cancelsLosers:)") {
      Promise.race(enumerating: [other($0), $0.source, other($0)], cancelsLosers: true)
    },
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

  private static func inputs(of scene: Scene) -> [Promise<Parcel>] {
    [scene.source, .rejected(scene.error()), other(scene), scene.source]
  }

  private static func keyed(_ scene: Scene) -> [String: Promise<Parcel>] {
    ["source": scene.source, "rejected": .rejected(scene.error()), "other": other(scene), "again": scene.source]
  }

  /// A link that ends when the scene's promise ends.
  private static func other(_ scene: Scene) -> Promise<Parcel> {
    scene.source.map(on: scene.context) { [tracked = scene.capture()] value in tracked.carrying(value) }
  }
}
