import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/Delegate.md, word for word. `Scripts/check-snippets.py` compares them.

private struct Position: Equatable, Sendable {
  let latitude: Double
}

@MainActor
private protocol PositionSensorDelegate: AnyObject {
  func sensor(_ sensor: PositionSensor, didMeasure position: Position)
  func sensor(_ sensor: PositionSensor, didFailWith error: any Error)
}

/// A sensor that measures when the test tells it to.
@MainActor
private final class PositionSensor {
  weak var delegate: (any PositionSensorDelegate)?
  private(set) var isRunning = false

  func start() { isRunning = true }
  func stop() { isRunning = false }
}

private enum Guide {
  @MainActor
  final class Measurement: PositionSensorDelegate {
    private let sensor: PositionSensor
    private let deferred = Deferred<Position>()

    private init(_ sensor: PositionSensor) { self.sensor = sensor }

    static func position(from sensor: PositionSensor) -> Promise<Position> {
      let measurement = Measurement(sensor)
      sensor.delegate = measurement
      sensor.start()
      measurement.deferred.onCancel(on: .main) { _ in measurement.sensor.stop() }
      return measurement.deferred.promise
    }

    func sensor(_ sensor: PositionSensor, didMeasure position: Position) {
      sensor.stop()
      deferred.fulfill(position)
    }

    func sensor(_ sensor: PositionSensor, didFailWith error: any Error) {
      sensor.stop()
      deferred.reject(error)
    }
  }
}

@MainActor
private protocol TransferDelegate: AnyObject {
  func transfer(_ transfer: Transfer, willSend length: Int)
  func transfer(_ transfer: Transfer, didSend piece: [UInt8])
  func transfer(_ transfer: Transfer, didEndWith error: (any Error)?)
}

/// A transfer whose callbacks the test makes.
@MainActor
private final class Transfer {
  weak var delegate: (any TransferDelegate)?
  private(set) var isRunning = false

  func start() { isRunning = true }
  func stop() { isRunning = false }
}

private enum Several {
  @MainActor
  final class Collector: TransferDelegate {
    private let deferred = Deferred<[UInt8]>()
    private var bytes: [UInt8] = []
    private var length: Int?

    private init() {}

    static func contents(of transfer: Transfer) -> Promise<[UInt8]> {
      let collector = Collector()
      transfer.delegate = collector
      transfer.start()
      collector.deferred.onEnd(on: .main) { result in collector.end(transfer, result) }
      return collector.deferred.promise
    }

    private func end(_ transfer: Transfer, _ result: Result<[UInt8], any Error>) {
      transfer.delegate = nil
      if case .failure = result { transfer.stop() }
    }

    func transfer(_ transfer: Transfer, willSend length: Int) { self.length = length }

    func transfer(_ transfer: Transfer, didSend piece: [UInt8]) {
      bytes += piece
      if let length, length > 0 { deferred.report(progress: Double(bytes.count) / Double(length)) }
    }

    func transfer(_ transfer: Transfer, didEndWith error: (any Error)?) {
      if let error { deferred.reject(error) } else { deferred.fulfill(bytes) }
    }
  }
}

@Suite("The recipe for a delegate with several callbacks")
@MainActor
struct SeveralCallbacksTests {
  private let transfer = Transfer()

  @Test("The pieces are reported as progress, and the last callback settles the promise", .rule("5.1"))
  func collects() throws {
    try TestWorld.run(checking: .running) { world in
      let contents = Several.Collector.contents(of: transfer)
      transfer.delegate?.transfer(transfer, willSend: 4)
      transfer.delegate?.transfer(transfer, didSend: [1])
      #expect(contents.progress == 0.25)
      transfer.delegate?.transfer(transfer, didSend: [2, 3, 4])
      #expect(contents.isPending)
      transfer.delegate?.transfer(transfer, didEndWith: nil)
      world.runUntilIdle()
      #expect(contents.valueNow == [1, 2, 3, 4] && transfer.delegate == nil)
    }
  }

  @Test("A client that gives up stops the transfer, and late callbacks change nothing", .rule("4.5"))
  func givesUp() throws {
    try TestWorld.run(checking: .running) { world in
      let contents = Several.Collector.contents(of: transfer)
      contents.cancel()
      transfer.delegate?.transfer(transfer, didSend: [1])
      world.runUntilIdle()
      #expect(contents.isCancelled && !transfer.isRunning && transfer.delegate == nil)
    }
  }

  @Test("The object lives until the promise is settled, and no longer", .rule("6.3"))
  func lifetime() throws {
    try TestWorld.run(checking: .running) { world in
      let contents = Several.Collector.contents(of: transfer)
      let isAlive = { [weak collector = transfer.delegate] in collector != nil }
      #expect(isAlive())
      transfer.delegate?.transfer(transfer, didEndWith: TestError(1))
      world.runUntilIdle()
      #expect(contents.errorNow is TestError && !isAlive())
    }
  }
}

@Suite("The recipe for a delegate")
@MainActor
struct DelegateTests {
  private typealias Measurement = Guide.Measurement
  private let sensor = PositionSensor()

  @Test("The delegate lives until it has settled the promise, and no longer", .rule("6.3"))
  func lifetime() {
    let position = Measurement.position(from: sensor)
    #expect(sensor.isRunning && sensor.delegate != nil)
    sensor.delegate?.sensor(sensor, didMeasure: Position(latitude: 59.9))
    #expect(position.valueNow == Position(latitude: 59.9))
    #expect(!sensor.isRunning && sensor.delegate == nil)
  }

  @Test("An error of the sensor rejects the promise", .rule("1.1"))
  func failure() {
    let position = Measurement.position(from: sensor)
    sensor.delegate?.sensor(sensor, didFailWith: TestError(1))
    #expect(position.errorNow is TestError && !sensor.isRunning)
  }

  @Test("A client that gives up stops the sensor on the main actor", .rule("4.4", "4.5"))
  func giveUp() throws {
    try TestWorld.run(checking: .running) { world in
      let latitude = Measurement.position(from: sensor).map { $0.latitude }
      latitude.cancel(upstream: true)
      #expect(sensor.isRunning)
      world.runUntilIdle()
      #expect(!sensor.isRunning && sensor.delegate == nil)
    }
  }

  @Test("A time limit stops a sensor that never answers", .rule("4.6"))
  func timeLimit() throws {
    try TestWorld.run(checking: .running) { world in
      let position = Measurement.position(from: sensor).timeout(.seconds(10))
      world.advance(by: .milliseconds(9_999))
      #expect(sensor.isRunning && position.isPending)
      world.advance(by: .milliseconds(1))
      #expect(!sensor.isRunning && name(of: position.errorNow) == "timedOut")
    }
  }
}
