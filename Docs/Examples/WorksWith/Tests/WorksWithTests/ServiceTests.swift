import ArgumentParser
import Foundation
import Logging
import PromiseCombinators
import PromiseProcesses
import PromiseServices
import PromiseTesting
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

// MARK: A command-line tool that Ctrl-C stops

/// The work of the tool, which a test replaces.
enum Crawl {
  @TaskLocal static var work: @Sendable (String) -> Promise<Int> = { _ in .fulfilled(0) }
}

struct CrawlTool: AsyncParsableCommand {
  @Argument var address: String

  func run() async throws {
    let interrupt = Promise.signal(SIGINT)
    let pages = Crawl.work(address)
    interrupt.onFulfilled { _ in pages.cancel(upstream: true) }
    do {
      print("\(try await pages.value(cancelsSource: true)) pages")
    } catch {
      throw pages.isCancelled ? ExitCode(130) : error
    }
  }
}

@Suite("Services and tools", .bounded) struct ServiceTests {
  private let logger: Logger = {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return logger
  }()

  @Test("A graceful shutdown stops the work of a service, and the service ends without an error")
  func gracefulShutdown() async throws {
    let begun = Deferred<Void>()
    let log = Log<String>()
    let owner = Deferred<Int>()
    owner.onCancel { _ in log.append("stopped") }
    let service = PromiseService {
      begun.fulfill()
      return owner.promise.map { $0 + 1 }
    }
    try await testGracefulShutdown { trigger in
      let running = Promise.task { try await service.run() }
      try await begun.promise.value
      trigger.triggerGracefulShutdown()
      try await running.value
    }
    #expect(log.entries == ["stopped"])
  }

  @Test("A graceful shutdown waits for the cleanup of a service")
  func cleanup() async throws {
    let begun = Deferred<Void>()
    let cleaning = Deferred<Void>()
    let cleaned = Deferred<Void>()
    let owner = Deferred<Int>()
    let service = PromiseService {
      begun.fulfill()
      return owner.promise.alwaysThen { _ in
        cleaning.fulfill()
        return cleaned.promise
      }
    }
    try await testGracefulShutdown { trigger in
      let running = Promise.task { try await service.run() }
      try await begun.promise.value
      trigger.triggerGracefulShutdown()
      try await cleaning.promise.value
      #expect(owner.promise.isCancelled)
      #expect(running.isPending)
      cleaned.fulfill()
      try await running.value
    }
  }

  @Test("The error of a cleanup is an error of the service, and does not replace an error of the work")
  func failedCleanup() async {
    let cleanup = Promise<Void>.rejected(TestError(12))
    let working = PromiseService { Promise.fulfilled(1).alwaysThen { _ in cleanup } }
    await #expect(throws: TestError(12)) { try await working.run() }
    let failing = PromiseService { Promise<Int>.rejected(TestError(13)).alwaysThen { _ in cleanup } }
    await #expect(throws: TestError(13)) { try await failing.run() }
  }

  @Test("A cancellation without a graceful shutdown is an error of the service")
  func workCancelledElsewhere() async {
    let service = PromiseService {
      let owner = Deferred<Int>()
      owner.promise.cancel()
      return owner.promise
    }
    await #expect(throws: CancellationError.self) { try await service.run() }
  }

  @Test("A rejection is an error of the service even during a graceful shutdown")
  func rejectionDuringShutdown() async {
    let service = PromiseService { Promise<Int>.rejected(TestError(10)) }
    await testGracefulShutdown { trigger in
      trigger.triggerGracefulShutdown()
      await #expect(throws: TestError(10)) { try await service.run() }
    }
  }

  @Test("A group with a service whose work is rejected fails")
  func failingService() async {
    let service = PromiseService { Promise<Int>.rejected(TestError(9)) }
    let group = ServiceGroup(services: [service], logger: logger)
    await #expect(throws: TestError(9)) { try await group.run() }
  }

  @Test("A service whose Task is cancelled stops its work, and throws when the work has ended")
  func cancelledService() async throws {
    let begun = Deferred<Void>()
    let stopping = Deferred<Void>()
    let stopped = Deferred<Void>()
    let log = Log<String>()
    let owner = Deferred<Int>()
    owner.onCancelThen { _ in
      stopping.fulfill()
      return stopped.promise
    }
    let service = PromiseService {
      begun.fulfill()
      return owner.promise
    }
    let running = Task {
      defer { log.append("ended") }
      try await service.run()
    }
    try await begun.promise.value
    running.cancel()
    try await stopping.promise.value
    log.append("stopped")
    stopped.fulfill()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(log.entries == ["stopped", "ended"])
  }

  @Test("Ctrl-C stops the work of a command-line tool, which ends when the work has ended")
  func interruptedTool() async throws {
    let owner = Deferred<Int>()
    let stopping = Deferred<Void>()
    let stopped = Deferred<Void>()
    owner.onCancelThen { _ in
      stopping.fulfill()
      return stopped.promise
    }
    let asked = Deferred<String>()
    let tool = try CrawlTool.parse(["example.org"])
    let work: @Sendable (String) -> Promise<Int> = { address in
      asked.fulfill(address)
      return owner.promise
    }
    let running = Crawl.$work.withValue(work) { Promise.task { try await tool.run() } }
    // The tool catches the signal before it begins its work.
    #expect(try await asked.promise.value == "example.org")
    kill(getpid(), SIGINT)
    try await stopping.promise.value
    #expect(running.isPending)
    stopped.fulfill()
    #expect(await rejection(of: running) as? ExitCode == ExitCode(130))
    #expect(owner.promise.isCancelled)
  }

  @Test("A tool prints the result of its work")
  func tool() async throws {
    let tool = try CrawlTool.parse(["example.org"])
    try await tool.run()
  }
}
