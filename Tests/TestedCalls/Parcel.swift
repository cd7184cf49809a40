package import TestSupport

/// A number that can carry a tracked object. The promises in these calls have such values.
package struct Parcel: Sendable, Equatable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  package let number: Int
  package let tracked: Tracked?

  package init(_ number: Int, _ tracked: Tracked? = nil) { (self.number, self.tracked) = (number, tracked) }
  package init(integerLiteral number: Int) { self.init(number) }

  package var description: String { "\(number)" }
  package static func == (one: Parcel, other: Parcel) -> Bool { one.number == other.number }
}

/// An error that can carry a tracked object.
package struct ParcelError: Error, CustomStringConvertible {
  package let parcel: Parcel

  package init(_ number: Int, _ tracked: Tracked? = nil) { parcel = Parcel(number, tracked) }

  package var description: String { "ParcelError(\(parcel))" }
}
