#if DEBUG
  import Dispatch
  import PromiseContexts
  import TestSupport
  import Testing

  @Suite("The notice about global queues")
  struct GlobalQueueNoticeTests {
    private let lines = Log<String>()

    @Test("rule 2.7: said once, of the first global queue; it names the queue and the remedy")
    func once() {
      let notice = GlobalQueueNotice { [lines] in lines.append($0) }
      notice.check(.global(qos: .background))
      notice.check(.global())
      notice.check(.global(qos: .background))
      #expect(lines.entries.count == 1)
      #expect(lines.entries.first?.contains(#""com.apple.root.background-qos""#) == true)
      #expect(lines.entries.first?.contains("on: .global(qos:)") == true)
    }

    @Test("rule 2.7: also of two threads that use global queues at the same time only one says it")
    func together() {
      for _ in 0..<100 {
        let lines = Log<String>()
        let notice = GlobalQueueNotice { lines.append($0) }
        race(Array(repeating: { notice.check(.global()) }, count: 2))
        #expect(lines.entries.count == 1)
      }
    }

    @Test("rule 2.7: not said of the main queue, nor of queues of one's own")
    func others() {
      let notice = GlobalQueueNotice { [lines] in lines.append($0) }
      notice.check(.main)
      notice.check(DispatchQueue(label: "com.example.root"))
      notice.check(DispatchQueue(label: "concurrent", attributes: .concurrent, target: .global()))
      #expect(lines.entries.isEmpty)
    }
  }
#endif
