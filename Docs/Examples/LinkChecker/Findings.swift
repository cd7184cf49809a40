import Foundation
import PromiseCombinators
import Synchronization

/// A link, with the page on which it was found first. The address with which the check begins has no page.
struct Link: Sendable, Equatable {
  let url: URL
  let page: URL?
}

/// Why a link is broken.
enum Problem: Error, Equatable {
  /// The server has refused the request.
  case status(Int)
  /// The server has not answered in time.
  case noAnswer
  /// There was no connection to the server, for the reason given.
  case noConnection(String)

  init(_ error: any Error) {
    self =
      switch error {
      case let problem as Problem: problem
      case PromiseError.timedOut: .noAnswer
      default: .noConnection(error.localizedDescription)
      }
  }

  /// Whether another attempt may succeed.
  var mayPass: Bool {
    if case .status(let status) = self { status == 429 || status >= 500 } else { true }
  }
}

struct BrokenLink: Sendable, Equatable {
  let link: Link
  let problem: Problem
}

/// The result of a check, or of the part that is done so far.
struct Summary: Sendable, Equatable {
  fileprivate(set) var checked = 0
  fileprivate(set) var found = 0
  fileprivate(set) var broken: [BrokenLink] = []
}

/// Collects what a check finds. Handlers on any thread use it.
final class Findings: Sendable {
  private struct State {
    var seen: Set<URL> = []
    var summary = Summary()
  }

  private let state = Mutex(State())

  var summary: Summary { state.withLock { $0.summary } }

  /// Returns the links that were not seen before, each once. From now on they count as seen.
  func newLinks(among urls: [URL], on page: URL?) -> [Link] {
    state.withLock { state in
      let new = urls.filter { state.seen.insert($0).inserted }
      state.summary.found += new.count
      return new.map { Link(url: $0, page: page) }
    }
  }

  /// - Parameter problem: `nil` if the link works.
  func add(_ link: Link, problem: Problem?) {
    state.withLock { state in
      state.summary.checked += 1
      if let problem { state.summary.broken.append(BrokenLink(link: link, problem: problem)) }
    }
  }
}

extension Problem: CustomStringConvertible {
  var description: String {
    switch self {
    case .status(let status): "status \(status)"
    case .noAnswer: "no answer in time"
    case .noConnection(let reason): "no connection: \(reason)"
    }
  }
}

extension Summary: CustomStringConvertible {
  /// The broken links are sorted by address, because the order of the answers differs from run to run.
  var description: String {
    let lines = broken.map { broken in
      let place = broken.link.page.map { ", on \($0)" } ?? ""
      return "  \(broken.link.url): \(broken.problem)\(place)"
    }
    return (["\(checked) of \(found) links checked, \(broken.count) broken"] + lines.sorted()).joined(separator: "\n")
  }
}
