import BluejayCore
import Testing

@testable import BluejayTool

@Suite("Error messages of the tool")
struct ToolFailureTests {
    @Test("A remedy names a command and no method of the library")
    func remedies() throws {
        let lock = try PeripheralIdentifier(
            address: "C4:7C:8D:6A:1F:03",
            isRandomAddress: true,
            name: "Lock"
        )
        let service = ServiceIdentifier(uuid: "180D")
        let errors: [BluejayError] = [
            .notPaired, .attribute(.insufficientEncryption), .attribute(.writeNotPermitted),
            .pairingFailed("org.bluez.Error.AuthenticationFailed"), .missingService(service),
            .linkLost(.timeout), .notConnected, .bluetoothUnavailable(.unknown),
            .bluetoothUnavailable(.resetting), .alreadyAdvertising, .pairingRejected,
        ]
        for error in errors {
            let message = ToolFailure(error.during(.read, peripheral: lock)).message
            #expect(!message.contains("()"), "\(message)")
            #expect(!message.contains("bluetoothAvailable"), "\(message)")
            #expect(!message.contains("`services`"), "\(message)")
            #expect(!message.contains("`properties`"), "\(message)")
            #expect(!message.contains("shouldAutoReconnect"), "\(message)")
            #expect(!message.contains("handler"), "\(message)")
        }
        let message = ToolFailure(BluejayError.notPaired.during(.read, peripheral: lock)).message
        #expect(message.hasSuffix("; run `bluejay pair C4:7C:8D:6A:1F:03`"))
    }
}
