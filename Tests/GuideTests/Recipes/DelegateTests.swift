import PromiseCombinators
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

@Suite("The recipe for a delegate")
@MainActor
struct DelegateTests {
  private typealias Measurement = Guide.Measurement
  private let sensor = PositionSensor()

  @Test("The delegate lives until it has settled the promise, and no longer", .rule("6.3"), arguments: [true, false])
  func lifetime(measures: Bool) {
    let position = Measurement.position(from: sensor)
    #expect(sensor.isRunning)
    #expect(sensor.delegate != nil)
    if measures {
      sensor.delegate?.sensor(sensor, didMeasure: Position(latitude: 59.9))
    } else {
      sensor.delegate?.sensor(sensor, didFailWith: TestError(1))
    }
    #expect(
      position.state.value == (measures ? Position(latitude: 59.9) : nil) && (position.error is TestError) != measures)
    #expect(!sensor.isRunning)
    #expect(sensor.delegate == nil)
  }

  @Test("A client that gives up stops the sensor on the main actor", .rule("4.4", "4.5"))
  func giveUp() throws {
    try TestWorld.run(checking: .running) { world in
      let latitude = Measurement.position(from: sensor).map { $0.latitude }
      latitude.cancel(upstream: true)
      #expect(sensor.isRunning)
      world.runUntilIdle()
      #expect(!sensor.isRunning)
      #expect(sensor.delegate == nil)
    }
  }
}
