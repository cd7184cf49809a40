/// A promise that is fulfilled when a place in a gate is free.
///
/// It stores the gate, for descriptions, without a side table.
///
/// `@unchecked Sendable` is inherited. The field is constant.
package final class PlacePromise: Promise<Void>, @unchecked Sendable {
  private let gate: any AnyObject & Sendable

  /// - Parameter gate: retained by the promise.
  package init(at site: CreationSite, waitingFor gate: any AwaitedResource) {
    self.gate = gate
    super.init(pendingAt: site.site)
    if Diagnostics.isActive { noteAwaited() }
  }

  override var awaitedObject: (any AnyObject & Sendable)? { gate }
}
