import Bluejay
import BluejayCommandLine
import BluejayDeviceFile
import BluejayGATTServer
import Dispatch
import Foundation

/// A device from a file, served as a peripheral of this machine.
///
/// Everything except the initializer runs on the loop of the server, which justifies `@unchecked`.
final class DeviceFilePeripheral: @unchecked Swift.Sendable {
    private let file: DeviceFile
    private let loop: MainLoop
    private let adapter: String?
    private let report: @Sendable (ServeEvent) -> Void
    private var server: GATTServer?
    private var characteristics: [DeviceFile.CharacteristicIndex: LocalCharacteristic] = [:]
    private var values: [DeviceFile.CharacteristicIndex: Data] = [:]
    /// The subscribers of each characteristic; `rounds` numbers the current run of its notifications.
    private var subscribers: [DeviceFile.CharacteristicIndex: [PeripheralIdentifier]] = [:]
    private var rounds: [DeviceFile.CharacteristicIndex: Int] = [:]

    init(
        _ file: DeviceFile,
        on loop: MainLoop,
        adapter: String?,
        report: @escaping @Sendable (ServeEvent) -> Void
    ) {
        self.file = file
        self.loop = loop
        self.adapter = adapter
        self.report = report
    }

    /// Publishes the services and starts advertising.
    ///
    /// - Throws: The server's error.
    func publish() async throws {
        try await call { device, completion in
            let server = GATTServer(mainLoop: device.loop, adapter: device.adapter)
            device.server = server
            device.follow(server)
            server.start()
            device.add(device.file.services.indices[...], to: server, completion)
        }
        try await call { device, completion in
            let advertisement = device.advertisement
            device.server?.startAdvertising(advertisement) { result in
                if case .success = result {
                    device.report(device.advertisingStarted(advertisement))
                }
                completion(result)
            }
        }
    }

    /// Unpublishes everything; returns after bluetoothd has removed it.
    func end() async {
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                rounds = [:]
                guard let server else { return continuation.resume() }
                server.stop { continuation.resume() }
            }
        }
    }

    private typealias Completion = (Result<Void, any Error>) -> Void

    private func call(
        _ start: @escaping @Sendable (DeviceFilePeripheral, @escaping Completion) -> Void
    ) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            loop.post { [self] in start(self) { continuation.resume(with: $0) } }
        }
    }

    // Services are added one after the other, so that their handles follow the order of the file.
    private func add(
        _ rest: Range<Int>.SubSequence,
        to server: GATTServer,
        _ completion: @escaping Completion
    ) {
        guard let index = rest.first else { return completion(.success(())) }
        server.add(service(index)) { [self] result in
            guard case .success = result else { return completion(result) }
            add(rest.dropFirst(), to: server, completion)
        }
    }

    private func follow(_ server: GATTServer) {
        server.onCentralChange = { [report] change in
            switch change {
            case .came(let central): report(ServeEvent(.connected, central))
            case .left(let central): report(ServeEvent(.disconnected, central))
            case .identified(let old, let central):
                report(ServeEvent(.identified, central, note: "was \(old.displayText)"))
            }
        }
        server.onServiceEnded = { [report] service, error in
            report(ServeEvent(.ended, note: "service \(service.uuid): \(error)"))
        }
        server.onAdvertisingEnded = { [report] error in
            report(ServeEvent(.ended, note: "advertising\(error.map { ": \($0)" } ?? "")"))
        }
    }

    // MARK: Publishing

    private func service(_ index: Int) -> LocalService {
        let service = file.services[index]
        return LocalService(
            uuid: BluetoothUUID(string: service.uuid.description),
            isPrimary: service.isPrimary,
            characteristics: service.characteristics.enumerated().map {
                characteristic($0.element, .init(service: index, characteristic: $0.offset))
            }
        )
    }

    private func characteristic(
        _ characteristic: DeviceFile.Characteristic,
        _ index: DeviceFile.CharacteristicIndex
    ) -> LocalCharacteristic {
        values[index] = characteristic.value.map { Data($0) }
        let properties = AttributeProperties(flags: characteristic.properties)
        let local = LocalCharacteristic(
            uuid: BluetoothUUID(string: characteristic.uuid.description),
            properties: properties,
            descriptors: characteristic.descriptors.map { descriptor in
                let isWritable =
                    descriptor.uuid.description == "2901"
                    && properties.contains(.writableAuxiliaries)
                return LocalDescriptor(
                    uuid: BluetoothUUID(string: descriptor.uuid.description),
                    properties: isWritable ? [.read, .write] : .read,
                    value: Data(descriptor.value)
                )
            },
            subscriptions: .perCentral,
            onRead: { [weak self] in self?.read($0, index) },
            onWrite: { [weak self] in self?.write($0, index) }
        )
        local.onSubscribersChange = { [weak self] in self?.changed($0.map(\.central), index) }
        characteristics[index] = local
        return local
    }

    private var advertisement: LocalAdvertisement {
        LocalAdvertisement(
            serviceUUIDs: file.advertises.map { BluetoothUUID(string: $0.description) },
            localName: file.name?.prefix(utf8: LocalAdvertisement.maximumNameLength),
            manufacturerData: file.manufacturerData.mapValues { Data($0) }
        )
    }

    private func advertisingStarted(_ advertisement: LocalAdvertisement) -> ServeEvent {
        let name = (advertisement.localName ?? "without a name").printable
        let uuids = advertisement.serviceUUIDs.map(\.uuidString).joined(separator: ", ")
        return ServeEvent(.advertising, note: uuids.isEmpty ? name : "\(name) with \(uuids)")
    }

    // MARK: Requests of centrals

    private func read(_ request: ReadRequest, _ index: DeviceFile.CharacteristicIndex) {
        guard let value = values[index] else { return request.reject(.readNotPermitted) }
        request.respond(with: value)
        report(ServeEvent(.read, request.central, on: file.identifier(of: index), value: value))
    }

    private func write(_ request: WriteRequest, _ index: DeviceFile.CharacteristicIndex) {
        guard !request.isPrepareAuthorization else { return request.accept() }
        let old = values[index] ?? Data()
        guard request.offset <= old.count else { return request.reject(.invalidOffset) }
        request.accept()
        // A value that the file lacks stays unreadable.
        if values[index] != nil { values[index] = old.prefix(request.offset) + request.value }
        report(
            ServeEvent(
                .written,
                request.central,
                on: file.identifier(of: index),
                value: request.value
            )
        )
    }

    private func changed(_ now: [PeripheralIdentifier], _ index: DeviceFile.CharacteristicIndex) {
        let before = subscribers[index] ?? []
        subscribers[index] = now
        for central in before where !now.contains(central) {
            report(ServeEvent(.unsubscribed, central, on: file.identifier(of: index)))
        }
        for central in now where !before.contains(central) {
            report(ServeEvent(.subscribed, central, on: file.identifier(of: index)))
        }
        // Starts with the first subscriber; a later subscriber receives the remaining values.
        guard before.isEmpty != now.isEmpty else { return }
        let round = (rounds[index] ?? 0) + 1
        rounds[index] = round
        if before.isEmpty { play(file.notifications(at: index)[...], index, round, .now()) }
    }

    private func play(
        _ rest: ArraySlice<DeviceFile.Notification>,
        _ index: DeviceFile.CharacteristicIndex,
        _ round: Int,
        _ start: DispatchTime
    ) {
        guard let next = rest.first else { return }
        // Each time counts from the start, so a late value does not delay the next ones.
        let time = start + .milliseconds(next.milliseconds)
        DispatchQueue.main.asyncAfter(deadline: time) { [weak self, loop] in
            loop.post { [weak self] in
                guard let self, rounds[index] == round else { return }
                send(next)
                play(rest.dropFirst(), index, round, start)
            }
        }
    }

    private func send(_ notification: DeviceFile.Notification) {
        guard let server, let characteristic = characteristics[notification.index] else { return }
        let name = file.identifier(of: notification.index)
        do {
            let value = Data(notification.value)
            if try server.notify(value, on: characteristic) {
                report(ServeEvent(.sent, on: name, value: value))
            } else if characteristic.isSubscribed {
                let note = "cut to the MTU of a central"
                report(ServeEvent(.sent, on: name, value: value, note: note))
            }
        } catch {
            report(ServeEvent(.ended, on: name, note: "\(error)"))
        }
    }
}

extension String {
    /// Returns as many whole characters as fit in `maximumLength` bytes.
    fileprivate func prefix(utf8 maximumLength: Int) -> String {
        var room = maximumLength
        return String(
            prefix { character in
                room -= character.utf8.count
                return room >= 0
            }
        )
    }
}
