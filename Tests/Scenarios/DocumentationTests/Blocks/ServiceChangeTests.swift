import Bluejay
import BluejaySimulator
import Foundation
import Testing

private let chirpService = "CAFE"
private let chirpCharacteristic = CharacteristicIdentifier(
    uuid: "CAFF",
    service: ServiceIdentifier(uuid: chirpService)
)

private class ChirpScreen: Screen, ServiceObserver {
    let recorder: ServiceRecorder

    required init(_ bluejay: Bluejay, _ notes: Notes) {
        recorder = ServiceRecorder(notes)
        super.init(bluejay, notes)
    }

    // swift-format-ignore
    func observe() {
        bluejay.register(serviceObserver: recorder)
        // document: 35 register a service observer
        bluejay.register(serviceObserver: self)
        // end
    }

    // swift-format-ignore
    // document: 36 service observer
    func didModifyServices(
      from peripheral: PeripheralIdentifier,
      invalidatedServices: [ServiceIdentifier]) {
        if invalidatedServices.contains(where: { invalidatedServiceIdentifier -> Bool in
            invalidatedServiceIdentifier == chirpCharacteristic.service
        }) {
            endListen(to: chirpCharacteristic)
        } else if invalidatedServices.isEmpty {
            listen(to: chirpCharacteristic)
        }
    }
    // end

    func listen(to characteristic: CharacteristicIdentifier) {
        let name = characteristic == chirpCharacteristic ? "chirp" : "heart rate"
        bluejay.listen(to: characteristic) { [notes] (result: ReadResult<Data>) in
            switch result {
            case .success(let value): notes.write("\(name) \(Array(value))")
            case .failure(let error): notes.write("\(name): \(error)")
            }
        }
    }

    func endListen(to characteristic: CharacteristicIdentifier) {
        bluejay.endListen(to: characteristic) { [notes] _ in notes.write("chirp ended") }
    }

    func isListening(to characteristic: CharacteristicIdentifier) -> Bool {
        (try? bluejay.isListening(to: characteristic)) ?? false
    }
}

/// Records the change before the screen reacts to it.
private final class ServiceRecorder: ServiceObserver {
    private let notes: Notes

    init(_ notes: Notes) { self.notes = notes }

    func didModifyServices(
        from peripheral: PeripheralIdentifier,
        invalidatedServices: [ServiceIdentifier]
    ) {
        notes.write("changed \(invalidatedServices.map(\.uuid.uuidString))")
    }
}

@Suite("Blocks of the iOS README: monitor peripheral services", .timeLimit(.minutes(15)))
struct ServiceChangeTests {
    private func addChirp(_ device: SimulatedDevice) {
        device.addService(chirpService, [ScriptedCharacteristic("CAFF", ["notify"], .value([]))])
    }

    @Test("Blocks 35 and 36 end a listen with its service and resume the listen with the service")
    func chirp() async throws {
        try await with(ChirpScreen.self) { stage in
            await stage.on { $0.observe() }
            await stage.add {
                let device = gadget([ScriptedCharacteristic("2A37", ["notify"], .value([]))])
                addChirp(device)
                return device
            }
            await stage.on { $0.findAndConnect() }
            await stage.notes.wait(for: "connected Gadget")
            await stage.on { screen in
                screen.listen(to: heartRate)
                screen.listen(to: chirpCharacteristic)
            }
            await stage.settle()
            await stage.device { $0.send([1], on: "CAFF") }
            await stage.notes.wait(for: "chirp [1]")

            await stage.device { $0.removeService(chirpService) }
            await stage.notes.wait(for: "changed [\"CAFE\"]")
            await stage.notes.wait(for: "chirp ended")
            check(await stage.read { $0.isListening(to: chirpCharacteristic) }, is: false)
            check(await stage.read { $0.isListening(to: heartRate) }, is: true)

            await stage.device { addChirp($0) }
            await stage.notes.wait(for: "changed []")
            await stage.settle()
            check(await stage.read { $0.isListening(to: chirpCharacteristic) }, is: true)
            await stage.device { $0.send([], on: "CAFF") }
            await stage.notes.wait(for: "chirp []")
            await stage.device { $0.send([0, 60], on: "2A37") }
            await stage.notes.wait(for: "heart rate [0, 60]")
            check(
                stage.notes.lines.drop { $0 != "chirp [1]" },
                is: [
                    "chirp [1]", "changed [\"CAFE\"]", "chirp ended", "changed []", "chirp []",
                    "heart rate [0, 60]",
                ]
            )
        }
    }
}
