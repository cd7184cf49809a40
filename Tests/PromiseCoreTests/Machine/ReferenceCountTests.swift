import PromiseCore
import TestSupport
import Testing

@Suite("The count of references of all kinds")
struct ReferenceCountTests {
  private final class Object: Sendable {}

  private final class Holder {
    var strongly: Object?
    weak var weakly: Object?
    unowned(safe) var unownedly: Object?
  }

  private func isOne(_ object: Unmanaged<Object>) -> Bool { unsafe ReferenceCount.isOne(object) }

  @inline(never)
  private func refer(
    to object: Unmanaged<Object>, by path: ReferenceWritableKeyPath<Holder, Object?>, of holder: Holder
  ) {
    unsafe holder[keyPath: path] = object.takeUnretainedValue()
  }

  @Test("The runtime's headers are as expected, so that unheld chains need no tree", .rule("4.2"))
  func probe() { #expect(ReferenceCount.sole != nil) }

  @Test(
    "A second reference of any kind is seen, and that it is gone if it was strong or unowned", .rule("4.2"),
    arguments: 0..<3)
  func kinds(_ kind: Int) {
    let paths: [ReferenceWritableKeyPath<Holder, Object?>] = [\.strongly, \.unownedly, \.weakly]
    let object = unsafe Unmanaged.passRetained(Object())
    let holder = Holder()
    unsafe #expect(isOne(object))
    unsafe refer(to: object, by: paths[kind], of: holder)
    unsafe #expect(!isOne(object))
    holder[keyPath: paths[kind]] = nil
    // An object that ever had a weak reference keeps its table.
    if kind < 2 { unsafe #expect(isOne(object)) }
    unsafe object.release()
    withExtendedLifetime(holder) {}
  }
}
