import PromiseCore
import TestSupport
import Testing

@Test(
  "A context that is released with jobs in it is deallocated, and rejects the promise that waits for them",
  .rule("6.2", "6.3"))
func abandonedContextGoes() {
  weak var probe: ManualContext?
  let derived: Promise<Int>
  do {
    let context = ManualContext()
    probe = context
    derived = Promise.fulfilled(1).map(on: context) { $0 }
    #expect(context.count == 1)
    withExtendedLifetime(context) {}
  }
  #expect(probe == nil)
  guard case .rejected(PromiseError.contextDropped) = derived.state else {
    Issue.record("\(derived.state)")
    return
  }
}
