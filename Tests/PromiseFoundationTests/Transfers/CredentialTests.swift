import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Delegates that are asked for a credential", .bounded)
struct CredentialTests {
  private let refusal = Response(
    status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")], pieces: [.text("who are you?")])

  private func guarded(_ delegate: AskedDelegate) throws -> Exchange {
    try Exchange(delegate: delegate) { [refusal] request in
      // The encoded credential is `ada:pw`.
      if request["Authorization"] == "Basic YWRhOnB3" { return .text("welcome") }
      return refusal
    }
  }

  @Test(
    "The session's delegate is asked for a credential, again after a wrong one, and the credential is sent",
    arguments: Transfer.allCases, [false, true])
  func credential(_ transfer: Transfer, isWrongFirst: Bool) async throws {
    let delegate = AskedDelegate(
      answering: isWrongFirst
        ? .credentialAtLast(user: "ada", password: "pw") : .credential(user: "ada", password: "pw"))
    let exchange = try guarded(delegate)
    let begun = try exchange.begin(transfer)
    #expect(try await begun.response.value.status == 200)
    #expect(delegate.challenges == (isWrongFirst ? ["r 0", "r 1"] : ["r 0"]))
    #expect(exchange.server.requests.count == delegate.challenges.count + 1)
    if transfer == .download { #expect(try exchange.folder.bytes(of: "in") == Array("welcome".utf8)) }
  }

  @Test(
    "A challenge that the delegate cancels, or answers without a credential, rejects with URLError.cancelled",
    arguments: Transfer.allCases, [AskedDelegate.Answer.cancellation, .noCredential])
  func cancelling(_ transfer: Transfer, _ answer: AskedDelegate.Answer) async throws {
    let delegate = AskedDelegate(answering: answer)
    let exchange = try guarded(delegate)
    let begun = try exchange.begin(transfer)
    #expect((await begun.response.failure as? URLError)?.code == .cancelled)
    #expect(!begun.promise.isCancelled)
    #expect(delegate.challenges == ["r 0"])
    #expect(try !exchange.folder.names.contains("in"))
  }

  @Test(
    "A challenge for which the delegate has no credential fulfils with the 401 instead of hanging",
    arguments: Transfer.allCases,
    [AskedDelegate.Answer.defaultHandling, .rejection])
  func withoutCredential(_ transfer: Transfer, _ answer: AskedDelegate.Answer) async throws {
    let delegate = AskedDelegate(answering: answer)
    let exchange = try guarded(delegate)
    let begun = try exchange.begin(transfer)
    #expect(try await begun.response.value.status == 401)
    #expect(delegate.challenges == ["r 0"])
    if transfer == .download { #expect(try exchange.folder.bytes(of: "in") == Array("who are you?".utf8)) }
  }

  @Test(
    "Credentials for another host are not used, and the 401 fulfils the promise instead of hanging",
    arguments: Transfer.allCases)
  func credentialsForOthers(_ transfer: Transfer) async throws {
    let exchange = try Exchange { [refusal] _ in refusal }
    let storage = try #require(exchange.session.configuration.urlCredentialStorage)
    let other = URLProtectionSpace(
      host: "other.example", port: 80, protocol: "http", realm: "r",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    storage.set(URLCredential(user: "ada", password: "pw", persistence: .forSession), for: other)
    let begun = try exchange.begin(transfer)
    #expect(try await begun.response.value.status == 401)
  }
}
