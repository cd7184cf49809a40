import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.3.2.2 (rule 2.8): adopting a promise that is or will be fulfilled")
struct Clause2_3_2_2Tests {
  @Test(
    "2.3.2.2 (rules 2.6, 3.1): the outer promise is fulfilled with the same value, without a hop of its own",
    arguments: Settling.allCases, Adoption.allCases)
  func becomesFulfilled(_ settling: Settling, _ adoption: Adoption) {
    expectAdopted(.value(1), settling, adoption)
  }

  @Test(
    "2.3.2.2 (rule 2.6): also through several levels, made from the inside out",
    arguments: Settling.allCases, Adoption.allCases)
  func fromTheInside(_ settling: Settling, _ adoption: Adoption) {
    for levels in [2, 3, 100] { expectAdopted(.value(1), settling, adoption, levels: levels) }
  }

  @Test("2.3.2.2 (rule 3.1): also through several levels, made from the outside in", arguments: Settling.allCases)
  func fromTheOutside(_ settling: Settling) {
    for levels in [2, 3, 100] { expectAdoptedFromOutside(.value(1), settling, levels: levels) }
  }

  @Test("2.3.2.2 (rule 2.6): all that adopt one promise get the very same object", arguments: Settling.allCases)
  func sameObject(_ settling: Settling) {
    expectAdoptedByIdentity(.value(1), settling)
  }

  @Test("2.3.2.2 (rule 2.6): whether the settling or the adopting thread comes first", arguments: Adoption.allCases)
  func whileSettling(_ adoption: Adoption) {
    expectAdoptedWhileSettling(.value(1), adoption)
  }
}
