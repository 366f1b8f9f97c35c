import Foundation
import Testing

@testable import Bleu

@Suite("Errors of Bleu")
struct ErrorTests {
    @Test("An error names the identifier that was not found")
    func identifiers() {
        let id = UUID()
        for error in [
            BleuError.peripheralNotFound(id), .serviceNotFound(id), .characteristicNotFound(id),
        ] {
            #expect(error.localizedDescription.contains(id.uuidString))
        }
    }

    @Test("A denial by the bus names the policy file, and no group")
    func unauthorized() {
        let text = BleuError.bluetoothUnauthorized.localizedDescription
        #expect(text.contains("bluetooth.conf") && !text.contains("group"))
    }

    @Test("The text of a failure contains no name of a Swift type")
    func failureTexts() throws {
        let failure = try #require(PeripheralSession.error(.notConnected) as? BleuError)
        #expect(
            failure.localizedDescription == "connection failed: the peripheral is not connected"
        )
        #expect(
            BleuError.connectionFailed(Refusal.sessionInUse).localizedDescription
                == "connection failed: another central has the same session number"
        )
    }

    @Test("Two error types with the same base name are distinct")
    func baseNames() {
        let thrown = ThrownError(OuterLeft.Failure(code: 7))
        #expect(thrown.type == "OuterLeft.Failure")
        let types: [any (Error & Codable).Type] = [OuterRight.Failure.self]
        #expect(thrown.error(types) is RemoteFailure)
    }
}

enum OuterLeft {
    struct Failure: Error, Codable, Equatable { var code: Int }
}

enum OuterRight {
    struct Failure: Error, Codable, Equatable { var code: Int }
}
