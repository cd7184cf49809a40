#if DEBUG
  import Dispatch
  import PromiseContexts
  import TestSupport
  import Testing

  @Suite("The notice about global queues")
  struct GlobalQueueNoticeTests {
    private let lines = Log<String>()

    @Test("The notice appears once, for the first queue that is global, and names it and the remedy", .rule("2.7"))
    func once() {
      let notice = GlobalQueueNotice { [lines] in lines.append($0) }
      notice.check(.main)
      notice.check(DispatchQueue(label: "com.example.root"))
      notice.check(DispatchQueue(label: "concurrent", attributes: .concurrent, target: .global()))
      #expect(lines.entries.isEmpty)
      notice.check(.global(qos: .background))
      notice.check(.global())
      notice.check(.global(qos: .background))
      #expect(lines.entries.count == 1)
      #expect(lines.entries.first?.contains(#""com.apple.root.background-qos""#) == true)
      #expect(lines.entries.first?.contains("on: .global(qos:)") == true)
    }

    @Test("Only one of two threads gives the notice when both use global queues at the same time", .rule("2.7"))
    func together() {
      for _ in 0..<100 {
        let lines = Log<String>()
        let notice = GlobalQueueNotice { lines.append($0) }
        race(Array(repeating: { notice.check(.global()) }, count: 2))
        #expect(lines.entries.count == 1)
      }
    }
  }
#endif
