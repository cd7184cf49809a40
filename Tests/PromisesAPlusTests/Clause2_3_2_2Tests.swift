import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.3.2.2: adopting a promise that is or will be fulfilled", .rule("2.8"))
struct Clause2_3_2_2Tests {
  @Test(
    "The outer promise is fulfilled with the same value, without a hop of its own (2.3.2.2)", .rule("2.6", "3.1"),
    arguments: Settling.allCases, Adoption.allCases)
  func becomesFulfilled(_ settling: Settling, _ adoption: Adoption) {
    expectAdopted(.value(1), settling, adoption)
  }

  @Test(
    "A value passes through several levels of adoption made from the inside out (2.3.2.2)", .rule("2.6"),
    arguments: Settling.allCases, Adoption.allCases)
  func fromTheInside(_ settling: Settling, _ adoption: Adoption) {
    for levels in [2, 3, 100] { expectAdopted(.value(1), settling, adoption, levels: levels) }
  }

  @Test(
    "A value passes through several levels of adoption made from the outside in (2.3.2.2)", .rule("3.1"),
    arguments: Settling.allCases)
  func fromTheOutside(_ settling: Settling) {
    for levels in [2, 3, 100] { expectAdoptedFromOutside(.value(1), settling, levels: levels) }
  }

  @Test(
    "All promises that adopt one promise get the very same object (2.3.2.2)", .rule("2.6"), arguments: Settling.allCases
  )
  func sameObject(_ settling: Settling) {
    expectAdoptedByIdentity(.value(1), settling)
  }

  @Test(
    "The outer promise is fulfilled whether the settling or the adopting thread comes first (2.3.2.2)", .rule("2.6"),
    arguments: Adoption.allCases)
  func whileSettling(_ adoption: Adoption) {
    expectAdoptedWhileSettling(.value(1), adoption)
  }
}
