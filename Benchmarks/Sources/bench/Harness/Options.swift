import Foundation

/// The options of the command line.
struct Options {
  var mode = Mode.full
  /// The number of rounds, or `nil` if the mode determines it.
  var rounds: Int?
  /// The number of processes for each workload, or `nil` if the mode determines it.
  var processes: Int?
  /// Which part of a measurement this process does for another process.
  var share = Share.whole
  /// The program of another commit with which this one is compared, or `nil` to compare with nothing.
  var base: FreshProcess?
  var workloads = Workload.all
  var gauges = Gauge.all
  var output = Options.rootPackage.appending(path: ".build/bench")
  var wantsHelp = false

  static let help = """
    bench [--quick] [--subject NAME] [--output DIR] [WORKLOAD …]
    bench --base PROGRAM [WORKLOAD …]

      --quick        fewer and smaller rounds in this process, less than 30 s in total
      --base PROGRAM this program of another commit, in processes that alternate with those of this one
      --processes N  N processes for each workload; 1 is this process, for a profiler
      --subject NAME only this one of each workload, for a profiler, and so without ratios: \(Subject.knownNames)
      --output DIR   where results.json, report.md and chart.svg go (default: .build/bench of the root package)
      --rounds N     N rounds and one before them: two runs give the cost of the rounds between to a profiler
      --share K/N    the rounds and the order of the Kth of N processes, which write their results for another one
      WORKLOAD       only these: \(knownIDs.joined(separator: " ")); W12 is all that begin so
    """

  /// The folder of the root package. It is derived from the path of this file, so `bench` can be called in any folder.
  static let rootPackage = URL(filePath: #filePath).appending(path: "../../../../..").standardized

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
      case "--rounds": rounds = try Self.count(rest.popFirst(), for: argument)
      case "--processes": processes = try Self.count(rest.popFirst(), for: argument)
      case "--share":
        guard let share = rest.popFirst().flatMap(Share.init) else {
          throw BenchError.usage("--share needs two numbers, such as 3/12")
        }
        self.share = share
      case "--base":
        guard let program = rest.popFirst() else { throw BenchError.usage("--base needs a program") }
        base = FreshProcess(program: program)
      case _ where argument.hasPrefix("-"): throw BenchError.usage("unknown option \(argument)\n\(Self.help)")
      default: ids.append(argument)
      }
    }
    if !ids.isEmpty { try select(ids) }
    if let subject { try narrow(to: subject, asked: !ids.isEmpty) }
    if base != nil, !ids.isEmpty, let gauge = gauges.first {
      throw BenchError.usage("\(gauge.id) is not timed: --base compares times")
    }
  }

  private static func count(_ text: String?, for option: String) throws -> Int {
    guard let count = text.flatMap({ Int($0) }), count > 0 else { throw BenchError.usage("\(option) needs a number") }
    return count
  }

  private static let knownIDs = Workload.all.map(\.id) + Gauge.all.map(\.id)

  /// Returns the IDs that a name selects. If the name is not an ID, these are the IDs in which a letter follows the
  /// name. For example, W12 selects W12o and W12a.
  private static func known(_ name: String) -> [String] {
    let name = name.uppercased()
    if let id = knownIDs.first(where: { $0.uppercased() == name }) { return [id] }
    return knownIDs.filter { $0.uppercased().hasPrefix(name) && $0.dropFirst(name.count).first?.isLetter == true }
  }

  /// Selects workloads and gauges. They keep the order of their lists, whatever the order of the arguments is, so that
  /// a workload that leaves much memory behind runs late.
  private mutating func select(_ ids: [String]) throws {
    let chosen = ids.map { Self.known($0) }
    let wanted = Set(chosen.joined())
    workloads = workloads.filter { wanted.contains($0.id) }
    gauges = gauges.filter { wanted.contains($0.id) }
    for (id, chosen) in zip(ids, chosen) where chosen.isEmpty {
      throw BenchError.usage("unknown workload \(id); known: \(Self.knownIDs.joined(separator: " "))")
    }
  }

  /// Selects the workloads that have the subject. Throws if the user asked for a workload that does not have it.
  private mutating func narrow(to subject: Subject.Name, asked: Bool) throws {
    if asked, let gauge = gauges.first { throw BenchError.usage("\(gauge.id) is not timed: it has no subjects") }
    gauges = []
    workloads = try workloads.compactMap { workload in
      let narrowed = workload.only(subject)
      if narrowed == nil && asked {
        let names = workload.subjects.map(\.name.rawValue).joined(separator: ", ")
        throw BenchError.usage("\(workload.id) has no subject \(subject.rawValue); it has: \(names)")
      }
      return narrowed
    }
  }
}

extension Subject {
  fileprivate static var knownNames: String { Name.allCases.map(\.rawValue).joined(separator: " ") }
}
