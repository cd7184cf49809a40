import Foundation
import Testing

@testable import bench

@Suite("Sources of compiled clients")
struct ClientTests {
  @Test(
    "A client has the requested number of links or hops, all of which capture, in functions of eight",
    arguments: [40, 200])
  func counts(links: Int) {
    for (source, call) in [(Client.links(links), ".map(on: queue)"), (Client.hops(links), "queue.async {")] {
      #expect(occurrences(of: call, in: source) == links)
      #expect(occurrences(of: "public func", in: source) == links / 8)
      #expect(occurrences(of: " + step * ", in: source) == links)
      #expect(occurrences(of: "{", in: source) == occurrences(of: "}", in: source))
    }
  }

  @Test("A client of single links or hops has exactly one in each function")
  func singles() {
    for (source, call) in [(Client.singleLinks(11), ".map(on: queue)"), (Client.singleHops(11), "queue.async {")] {
      #expect(occurrences(of: call, in: source) == 11)
      #expect(occurrences(of: "public func", in: source) == 11)
    }
  }

  @Test("The code size is the sum of the code and the unwinding tables")
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
