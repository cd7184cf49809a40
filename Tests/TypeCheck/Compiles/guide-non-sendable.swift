// The snippets of Docs/Guides/NonSendableValues.md that compile. The snippets for Core Data are in Apple/Compiles, and the
// snippet for a dispatch source runs in Tests/GuideTests.
// modes: plain
import PromiseContexts

final class Row { var title = "" }

@MainActor final class Table {
  let row = Row()

  func show(_ title: Promise<String>) { title.tap(on: .main) { self.row.title = $0 } }
}

actor Store {
  private let row = Row()

  func rename(to title: Promise<String>) -> Promise<Void> {
    title.tap(isolatedTo: self) { store, title in store.row.title = title }.asVoid()
  }
}

final class VendorParser {
  var isStrict = false
  func parse(_ text: String) -> Int { text.count }
}

func parsed(_ text: Promise<String>) -> Promise<Int> {
  text.map { text in
    let parser = VendorParser()
    return parser.parse(text)
  }
}

func total(of text: String) -> Promise<Int> {
  let parser = VendorParser()
  parser.isStrict = true
  return Promise.task { @concurrent in parser.parse(text) }
}

final class VendorClient {
  func ask(_ town: String) -> Int { town.count }
}

/// The vendor's manual, chapter 3: all methods may be called on any thread.
struct SafeClient: @unchecked Sendable {
  let vendor: VendorClient
}

func ask(_ client: SafeClient, about town: Promise<String>) -> Promise<Int> {
  town.map { client.vendor.ask($0) }
}
