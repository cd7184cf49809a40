import PromiseCore
import TestSupport
import Testing

@Test("rules 6.2, 6.3: a context that is given up with jobs in it goes, and what waited is rejected")
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
