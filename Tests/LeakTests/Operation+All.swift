extension Operation {
  /// The operations that ``Listing`` contains.
  static let listed: [Operation] =
    families + owners + promises + contexts + combining + sequences + resources + async + isolated + gates + timers
    + lazies + foundation + waits

  static let all: [Operation] = listed + bridges
}
