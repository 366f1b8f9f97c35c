import Bleu
import Foundation
import Testing

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
}
