import Foundation
import Testing

@testable import bench

@Suite("clients that are compiled")
struct ClientTests {
  @Test("a client has as many links or hops as it should, in functions of 8, and all capture", arguments: [40, 200])
  func counts(links: Int) {
    for (source, call) in [(Client.links(links), ".map(on: queue)"), (Client.hops(links), "queue.async {")] {
      #expect(occurrences(of: call, in: source) == links)
      #expect(occurrences(of: "public func", in: source) == links / 8)
      #expect(occurrences(of: " + step * ", in: source) == links)
      #expect(occurrences(of: "{", in: source) == occurrences(of: "}", in: source))
    }
  }

  @Test("a client of single links has one in each function")
  func singles() {
    for (source, call) in [(Client.singleLinks(11), ".map(on: queue)"), (Client.singleHops(11), "queue.async {")] {
      #expect(occurrences(of: call, in: source) == 11)
      #expect(occurrences(of: "public func", in: source) == 11)
    }
  }

  @Test("code and unwinding tables count, and nothing else")
  func codeSize() {
    let sections = """
      client.o  :
      section                size   addr
      .text                   805      0
      .text.$s6client5link0   213      0
      .data.rel.ro             40      0
      .eh_frame               136      0
      .debug_info           99999      0
      Total                101193
      """
    #expect(Gauge.codeSize(inSections: sections) == 805 + 213 + 136)
    #expect(Gauge.codeSize(inSections: "nothing") == nil)
  }

  private func occurrences(of text: String, in source: String) -> Int { source.components(separatedBy: text).count - 1 }
}
