import Dispatch
import Foundation

extension Promise {
  public typealias Async = (_ fulfill: @escaping (Value) -> Void, _ reject: @escaping (Error) -> Void) throws -> Void
  public typealias Catch = (Error) -> Void
  public typealias Always = () -> Void
  public typealias Reducer<Element> = (Value, Element) throws -> Promise<Value>
  public typealias Then<Result> = (Value) throws -> Result
  public typealias Validate = (Value) -> Bool

  public convenience init(on queue: DispatchQueue = .promises, _ work: @escaping Async) { stub() }
  public convenience init(on queue: DispatchQueue = .promises, _ work: @escaping () throws -> Value) { stub() }
  public convenience init(on queue: DispatchQueue = .promises, _ work: @escaping () throws -> Promise<Value>) {
    stub()
  }

  @discardableResult
  public func then<Result>(
    on queue: DispatchQueue = .promises, _ work: @escaping Then<Promise<Result>>
  ) -> Promise<Result> { stub() }

  @discardableResult
  public func then<Result>(on queue: DispatchQueue = .promises, _ work: @escaping Then<Result>) -> Promise<Result> {
    stub()
  }

  @discardableResult
  public func then(on queue: DispatchQueue = .promises, _ work: @escaping Then<Void>) -> Promise { stub() }

  @discardableResult
  public func `catch`(on queue: DispatchQueue = .promises, _ reject: @escaping Catch) -> Promise { stub() }

  @discardableResult
  public func recover(on queue: DispatchQueue = .promises, _ recovery: @escaping (Error) throws -> Promise) -> Promise {
    stub()
  }

  @discardableResult
  public func recover(on queue: DispatchQueue = .promises, _ recovery: @escaping (Error) throws -> Value) -> Promise {
    stub()
  }

  @discardableResult
  public func always(on queue: DispatchQueue = .promises, _ work: @escaping Always) -> Promise { stub() }

  @discardableResult
  public func validate(on queue: DispatchQueue = .promises, _ predicate: @escaping Validate) -> Promise { stub() }

  @discardableResult
  public func delay(on queue: DispatchQueue = .promises, _ interval: TimeInterval) -> Promise { stub() }

  @discardableResult
  public func timeout(on queue: DispatchQueue = .promises, _ interval: TimeInterval) -> Promise { stub() }

  @discardableResult
  public func reduce<Element>(
    on queue: DispatchQueue = .promises, _ items: Element..., combine reducer: @escaping Reducer<Element>
  ) -> Promise<Value> { stub() }

  @discardableResult
  public func reduce<Container: Sequence>(
    on queue: DispatchQueue = .promises, _ items: Container, combine reducer: @escaping Reducer<Container.Element>
  ) -> Promise<Value> { stub() }
}
