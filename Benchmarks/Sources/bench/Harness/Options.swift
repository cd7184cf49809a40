import Foundation

/// The command line.
struct Options {
  var mode = Mode.full
  var workloads = Workload.all
  var output = Options.rootPackage.appending(path: ".build/bench")
  var wantsHelp = false

  static let help = """
    bench [--quick] [--subject NAME] [--output DIR] [WORKLOAD …]

      --quick        fewer and smaller rounds, less than 30 s in total
      --subject NAME only this one of each workload, for a profiler, and so without ratios: \(Subject.knownNames)
      --output DIR   where results.json, report.md and chart.svg go (default: .build/bench of the root package)
      WORKLOAD       only these: \(Workload.knownIDs)
    """

  /// The folder of the root package, from the place of this file, so that it does not matter where `bench` is called.
  private static let rootPackage = URL(filePath: #filePath).appending(path: "../../../../..").standardized

  init(_ arguments: [String]) throws {
    var ids: [String] = []
    var subject: Subject.Name?
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": mode = .quick
      case "--help", "-h": wantsHelp = true
      case "--subject":
        guard let name = rest.popFirst() else { throw BenchError.usage("--subject needs a name") }
        subject = Subject.Name(rawValue: name)
        if subject == nil { throw BenchError.usage("unknown subject \(name); known: \(Subject.knownNames)") }
      case "--output":
        guard let folder = rest.popFirst() else { throw BenchError.usage("--output needs a folder") }
        output = URL(filePath: folder, directoryHint: .isDirectory)
      case _ where argument.hasPrefix("-"): throw BenchError.usage("unknown option \(argument)\n\(Self.help)")
      default: ids.append(argument)
      }
    }
    if !ids.isEmpty { workloads = try Self.select(ids) }
    if let subject { workloads = try Self.narrow(workloads, to: subject, all: ids.isEmpty) }
  }

  /// In the order of the list, whatever the order of the arguments: a workload that leaves much memory behind comes
  /// late.
  private static func select(_ ids: [String]) throws -> [Workload] {
    for id in ids where !Workload.all.contains(where: { $0.id.lowercased() == id.lowercased() }) {
      throw BenchError.usage("unknown workload \(id); known: \(Workload.knownIDs)")
    }
    let wanted = Set(ids.map { $0.lowercased() })
    return Workload.all.filter { wanted.contains($0.id.lowercased()) }
  }

  /// Of all workloads those that have the subject; those that were asked for must have it.
  private static func narrow(_ workloads: [Workload], to subject: Subject.Name, all: Bool) throws -> [Workload] {
    try workloads.compactMap { workload in
      let narrowed = workload.only(subject)
      if narrowed == nil && !all {
        let names = workload.subjects.map(\.name.rawValue).joined(separator: ", ")
        throw BenchError.usage("\(workload.id) has no subject \(subject.rawValue); it has: \(names)")
      }
      return narrowed
    }
  }
}

extension Workload {
  fileprivate static var knownIDs: String { all.map(\.id).joined(separator: " ") }
}

extension Subject {
  fileprivate static var knownNames: String { Name.allCases.map(\.rawValue).joined(separator: " ") }
}
