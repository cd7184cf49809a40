extension Operation {
  /// Returns all pairs of the operation at an index with itself and with each later operation, on one stage.
  static func pairs(
    of operations: [Operation], with index: Int, in arena: String, on stage: @escaping @Sendable () -> Stage,
    conclude: @escaping @Sendable (Stage) throws -> Void
  ) -> [Pair] {
    operations[index...].map { other in
      Pair("\(arena): \(operations[index].name) × \(other.name)") { _ in
        let stage = stage()
        return Pair.Round(first: operations[index].prepare(stage), second: other.prepare(stage)) { try conclude(stage) }
      }
    }
  }
}
