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

    @Test("A refusal of the bus names the file with its policy, and no group")
    func unauthorized() {
        let text = BleuError.bluetoothUnauthorized.localizedDescription
        #expect(text.contains("bluetooth.conf") && !text.contains("group"))
    }
}
