import Bluejay
import BluejayCommandLine
import BluejayGATTServer
import Dispatch
import Foundation

/// One run of the demo: publish three services, advertise, send a heart rate every second.
///
/// Used on the main loop only.
final class VirtualPeripheral: @unchecked Swift.Sendable {
    private static let heartRateService = BluetoothUUID(uint16: 0x180D)
    private static let chirpService = BluetoothUUID(string: "CED261B7-F120-41C8-9A92-A41DE69CF2A8")

    private let server: GATTServer
    private let name: String
    private let heartRate: LocalCharacteristic
    private let chirp: LocalCharacteristic
    private let services: [LocalService]
    private let chirping: LocalService
    private var heartbeat: (any DispatchSourceTimer)?
    private var isPublished = false
    private var isEnding = false

    /// The reason for the failure, or `nil`.
    private(set) var failure: String?

    init(adapter: String?, name: String) {
        self.name = name
        server = GATTServer(adapter: adapter)
        heartRate = LocalCharacteristic(uuid: BluetoothUUID(uint16: 0x2A37), properties: .notify)
        let location = LocalCharacteristic(
            uuid: BluetoothUUID(uint16: 0x2A38),
            properties: .read,
            onRead: { request in
                let chest: UInt8 = 1
                request.respond(with: Data([chest]))
                log("read bodySensorLocation by \(request.central)")
            }
        )
        chirp = LocalCharacteristic(
            uuid: BluetoothUUID(string: "83B4A431-A6F1-4540-B3EE-3C14AEF71A04"),
            properties: .notify
        )
        let pairing = LocalCharacteristic(
            uuid: BluetoothUUID(string: "E4D4A76C-B9F1-422F-8BBA-18508356A145"),
            properties: .encryptRead,
            onRead: { request in
                request.respond(with: Data("You are paired now!".utf8))
                log("read pairing by \(request.central)")
            }
        )
        chirping = LocalService(uuid: Self.chirpService, characteristics: [chirp])
        services = [
            LocalService(uuid: Self.heartRateService, characteristics: [heartRate, location]),
            chirping,
            LocalService(
                uuid: BluetoothUUID(string: "16274BFE-C539-416C-9646-CA3F991DADD6"),
                characteristics: [pairing]
            ),
        ]
    }

    func start() {
        heartRate.onSubscriptionChange = {
            log($0 ? "subscribed heartRate" : "unsubscribed heartRate")
        }
        chirp.onSubscriptionChange = { log($0 ? "subscribed chirp" : "unsubscribed chirp") }
        server.onConnectionChange = { device, isConnected in
            log("\(isConnected ? "connected" : "disconnected") \(device.description.printable)")
        }
        server.onServiceEnded = { log("service \($0.uuid) ended: \($1)") }
        server.onAdvertisingEnded = { if let error = $0 { log("advertising ended: \(error)") } }
        server.onStateChange = { [weak self] in self?.stateChanged($0) }
        server.start()
    }

    /// Unregisters everything and ends the main loop.
    func end() {
        guard !isEnding else { return MainLoop.main.stop() }
        isEnding = true
        heartbeat?.cancel()
        // bluetoothd may be stuck; it then unregisters everything when this program ends.
        DispatchQueue.main.asyncAfter(deadline: .now() + 2) { MainLoop.main.stop() }
        server.stop { MainLoop.main.stop() }
    }

    func execute(_ line: String) {
        let word = line.trimmingCharacters(in: .whitespaces)
        switch PeripheralCommand(rawValue: word) {
        case .chirp:
            send(Data(), "chirp", on: chirp, failureMessage: "no central is subscribed to chirp")
        case .add: addChirp()
        case .remove: removeChirp()
        case .help: log(PeripheralCommand.usage)
        case .quit: end()
        case nil: log("unknown command \(word.printable); try help")
        }
    }

    private func stateChanged(_ state: BluetoothState) {
        if state == .poweredOn, !isPublished { return publish() }
        guard state != .unknown, state != .resetting else { return }
        // A missing adapter at the start is final; later it may return.
        isPublished ? log("Bluetooth: \(state)") : fail("\(state)")
    }

    private func publish() {
        isPublished = true
        for service in services {
            server.add(service) { [weak self] result in
                if case .failure(let error) = result { self?.fail(error.localizedDescription) }
            }
        }
        advertise { [weak self] in self?.fail($0.localizedDescription) }
        let heartbeat = DispatchSource.makeTimerSource(queue: .main)
        heartbeat.schedule(deadline: .now() + 1, repeating: 1)
        heartbeat.setEventHandler { [weak self] in self?.beat() }
        heartbeat.resume()
        self.heartbeat = heartbeat
    }

    private func advertise(onFailure: @escaping (any Error) -> Void) {
        let uuids =
            chirping.isAdded ? [Self.heartRateService, Self.chirpService] : [Self.heartRateService]
        server.stopAdvertising()
        server.startAdvertising(LocalAdvertisement(serviceUUIDs: uuids, localName: name)) {
            [name] in
            switch $0 {
            case .success: log("advertising \(name.printable) with \(uuids.map(\.uuidString))")
            case .failure(let error): onFailure(error)
            }
        }
    }

    private func beat() {
        let beatsPerMinute = UInt8.random(in: 60...119)
        let flags: UInt8 = 0
        send(Data([flags, beatsPerMinute]), "heartRate \(beatsPerMinute)", on: heartRate)
    }

    private func send(
        _ value: Data,
        _ words: String,
        on characteristic: LocalCharacteristic,
        failureMessage otherwise: String? = nil
    ) {
        do {
            if try server.notify(value, on: characteristic) {
                log("sent \(words)")
            } else if let otherwise {
                log(otherwise)
            }
        } catch {
            log("not sent: \(error.localizedDescription)")
        }
    }

    private func addChirp() {
        server.add(chirping) { [weak self] result in self?.chirpChanged("added", result) }
    }

    private func removeChirp() {
        server.remove(chirping) { [weak self] result in self?.chirpChanged("removed", result) }
    }

    private func chirpChanged(_ what: String, _ result: Result<Void, any Error>) {
        guard !isEnding else { return }
        if case .failure(let error) = result {
            return log("chirp service not \(what): \(error.localizedDescription)")
        }
        log("chirp service \(what)")
        advertise { log("not advertising: \($0.localizedDescription)") }
    }

    private func fail(_ reason: String) {
        guard !isEnding else { return }
        failure = reason
        end()
    }
}

extension DefaultStringInterpolation {
    fileprivate mutating func appendInterpolation(_ central: PeripheralIdentifier?) {
        appendInterpolation(central.map { $0.description.printable } ?? "an unknown central")
    }
}

/// Writes a line without buffering, also to a file.
private func log(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
