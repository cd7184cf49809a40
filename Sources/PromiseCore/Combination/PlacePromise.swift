/// A promise that is fulfilled when something that is no promise is available, such as a place in a gate.
///
/// It stores what it waits for, for descriptions, without a side table.
///
/// `@unchecked Sendable` is inherited. The field is constant.
package final class PlacePromise: Promise<Void>, @unchecked Sendable {
  private let resource: any AwaitedResource

  /// - Parameter resource: describes what the promise waits for. The promise retains it.
  package init(at site: CreationSite, waitingFor resource: any AwaitedResource) {
    self.resource = resource
    super.init(pendingAt: site.site)
  }

  /// Reports to a recorder what this promise waits for.
  package func noteResource() {
    if Diagnostics.isActive { note(.waitsForResource(resource.waitNode(for: self).summary)) }
  }

  override var awaitedResource: (any AwaitedResource)? { resource }
}
