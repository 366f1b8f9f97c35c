package import Bluejay
internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejaySimulator
internal import Foundation
package import Testing

extension RecordingCentral {
    /// Compares the whole record.
    package func expect(_ expected: [String], at place: SourceLocation = #_sourceLocation) async {
        let record = await record()
        #expect(record == expected, sourceLocation: place)
    }

    package func state(_ property: any KeyPath<Bluejay, Bool> & Swift.Sendable) async -> Bool {
        await read { $0.bluejay[keyPath: property] }
    }
}

/// Calls whose results are added to the record of a `RecordingCentral`; used on its loop, inside `run`.
///
/// A success is noted as `NAME ok` or with the value, a failure as `NAME` and the error's name.
extension RecordingCentral {
    package func recordRead(_ name: String, of characteristic: CharacteristicIdentifier = location)
    {
        bluejay.read(from: characteristic) { [weak self] (result: ReadResult<Data>) in
            switch result {
            case .success(let value): self?.recordEvent("\(name) \(hexadecimal(Array(value)))")
            case .failure(let error): self?.recordEvent("\(name) \(errorName(error))")
            }
        }
    }

    package func recordWrite(
        _ name: String,
        _ value: UInt8,
        to characteristic: CharacteristicIdentifier = controlPoint,
        type: WriteType = .withResponse
    ) {
        bluejay.write(to: characteristic, value: value, type: type) { [weak self] in
            self?.recordEvent("\(name) \($0.text)")
        }
    }

    package func recordListen(
        _ name: String,
        to characteristic: CharacteristicIdentifier = measurement,
        option: MultipleListenOption = .trap,
        isKept: Bool = false
    ) {
        bluejay.listen(to: characteristic, multipleListenOption: option, isKept: isKept) {
            [weak self] (result: ReadResult<Data>) in
            switch result {
            case .success(let value): self?.recordEvent("\(name) \(hexadecimal(Array(value)))")
            case .failure(let error): self?.recordEvent("\(name) \(errorName(error))")
            }
        }
    }

    package func recordEndListen(
        _ name: String,
        to characteristic: CharacteristicIdentifier = measurement
    ) {
        bluejay.endListen(to: characteristic) { [weak self] in
            self?.recordEvent("\(name) \($0.text)")
        }
    }

    package func recordConnect(
        _ name: String,
        _ peripheral: PeripheralIdentifier,
        timeout: Timeout = .seconds(10),
        then: @escaping () -> Void = {}
    ) {
        bluejay.connect(peripheral, timeout: timeout) { [weak self] in
            self?.recordEvent("\(name) \($0.text)")
            then()
        }
    }

    package func recordDisconnect(
        _ name: String,
        immediate: Bool = false,
        then: @escaping () -> Void = {}
    ) {
        bluejay.disconnect(immediate: immediate) { [weak self] in
            self?.recordEvent("\(name) \($0.text)")
            then()
        }
    }

    /// Notes `NAME found` for each discovery, and the result of the scan.
    package func recordScan(
        _ name: String,
        for service: ServiceIdentifier = heartRateService,
        allowDuplicates: Bool = false,
        discovery: @escaping (ScanDiscovery, [ScanDiscovery]) -> ScanAction = { _, _ in .continue },
        then: @escaping () -> Void = {}
    ) {
        bluejay.scan(allowDuplicates: allowDuplicates, serviceIdentifiers: [service]) {
            [weak self] in
            self?.recordEvent("\(name) found \($1.count)")
            return discovery($0, $1)
        } stopped: { [weak self] _, error in
            self?.recordEvent("\(name) stopped \(error.map(errorName) ?? "ok")")
            then()
        }
    }

    /// Notes `known Gadget` as soon as hci0 has such a device; a connection before that would scan for it.
    package func recordKnown(_ peripheral: PeripheralIdentifier, at busAddress: String) {
        guard let address = peripheral.deviceAddress else { return }
        let client = BlueZClient.shared(on: loop.context, address: .address(busAddress))
        let check: () -> Void = { [weak self, unowned client] in
            guard client.objects.device(address, of: "/org/bluez/hci0") != nil else { return }
            self?.recordEvent("known \(peripheral.name)")
        }
        retainedObjects.append(client.observe { _ in check() })
        check()
    }

    /// Fills the queue: a listen, a running read, and a waiting write and scan.
    package func fillQueue() async {
        await run { $0.recordListen("listen") }
        await settle()
        await run { central in
            central.recordRead("running")
            central.recordWrite("queued", 1)
            central.recordScan("scan")
        }
    }

    /// Runs a background task, and notes its result.
    package func recordTask(
        _ name: String,
        then: @escaping () -> Void = {},
        _ task: @escaping @Sendable (SynchronizedPeripheral) throws -> Void
    ) {
        bluejay.run(backgroundTask: task) { [weak self] (result: RunResult<Void>) in
            switch result {
            case .success: self?.recordEvent("\(name) ok")
            case .failure(let error): self?.recordEvent("\(name) \(errorName(error))")
            }
            then()
        }
    }
}

extension WriteResult {
    package var text: String {
        switch self {
        case .success: "ok"
        case .failure(let error): errorName(error)
        }
    }
}

extension ConnectionResult {
    package var text: String {
        switch self {
        case .success: "ok"
        case .failure(let error): errorName(error)
        }
    }
}

extension DisconnectionResult {
    package var text: String {
        switch self {
        case .disconnected: "ok"
        case .failure(let error): errorName(error)
        }
    }
}

/// A second observer and the disconnect handler; they add to the record of a `RecordingCentral`.
///
/// They are used on its loop only: the invariant behind `@unchecked`.
package final class RecordingObserver: ConnectionObserver, DisconnectHandler,
    @unchecked Swift.Sendable
{
    private weak var central: RecordingCentral?
    /// The reply of the disconnect handler.
    package var reconnectMode = AutoReconnectMode.noChange
    /// Called with an event after it was recorded.
    package var onEvent: ((String) -> Void)?

    package init(_ central: RecordingCentral) { self.central = central }

    /// Registers an observer after the central, and clears the record.
    @discardableResult
    package static func watch(
        _ central: RecordingCentral,
        reconnectMode: AutoReconnectMode = .noChange
    ) async -> RecordingObserver {
        let observer = RecordingObserver(central)
        observer.reconnectMode = reconnectMode
        await central.run { central in
            central.retainedObjects.append(observer)
            central.bluejay.register(connectionObserver: observer)
            central.bluejay.registerDisconnectHandler(handler: observer)
        }
        await central.forget()
        return observer
    }

    private func recordEvent(_ text: String) {
        central?.recordEvent(text)
        onEvent?(text)
    }

    package func bluetoothAvailable(_ available: Bool) {
        recordEvent("second: available \(available)")
    }
    package func connected(to peripheral: PeripheralIdentifier) { recordEvent("second: connected") }
    package func disconnected(from peripheral: PeripheralIdentifier) {
        recordEvent("second: disconnected")
    }

    package func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        recordEvent("handler \(autoReconnect) \(error.map(errorName) ?? "no error")")
        return reconnectMode
    }
}

/// The events that an observer records: of both observers, and of the handler at an end.
package enum ObservedEvent {
    package static let connected = ["connected Gadget", "second: connected"]
    package static let off = ["available false", "second: available false"]
    package static let on = ["available true", "second: available true"]

    /// Returns the events at the end of a connection or an attempt; `handler` is its event, such as `true
    /// linkLost`.
    package static func end(_ handler: String) -> [String] {
        ["disconnected Gadget", "second: disconnected", "handler \(handler)"]
    }
}
