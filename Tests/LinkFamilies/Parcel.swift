package import TestSupport

/// A number that carries something whose life can be watched: the value of the promises in these calls.
package struct Parcel: Sendable, Equatable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  package let number: Int
  package let cargo: Tracked?

  package init(_ number: Int, _ cargo: Tracked? = nil) { (self.number, self.cargo) = (number, cargo) }
  package init(integerLiteral number: Int) { self.init(number) }

  package var description: String { "\(number)" }
  package static func == (one: Parcel, other: Parcel) -> Bool { one.number == other.number }
}

/// The same, thrown.
package struct ParcelError: Error, CustomStringConvertible {
  package let parcel: Parcel

  package init(_ number: Int, _ cargo: Tracked? = nil) { parcel = Parcel(number, cargo) }

  package var description: String { "ParcelError(\(parcel))" }
}
