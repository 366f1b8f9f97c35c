import Bluejay
import BluejayDBus
import BluejayGATTServer
import Dispatch
import Foundation

/// A command on standard input, one word a line.
enum AcceptanceCommand: String, CaseIterable {
    case notify, indicate, disconnect, quit
    case addService = "add-service"
    case removeService = "remove-service"
}

/// A peripheral on `GATTServer` for other implementations of a central; it prints its events.
///
/// Used on the main loop only.
final class AcceptancePeripheral: @unchecked Swift.Sendable {
    static let longValue = Data((0..<512).map { UInt8($0 % 251) })

    private let adapter: String
    private let name: String
    private let server: GATTServer
    private let notifying: LocalCharacteristic
    private let indicating: LocalCharacteristic
    private let service: LocalService
    private let extra: LocalService
    private var bus: BusConnection?
    private var sent: UInt8 = 0
    private var isPublished = false
    private var isEnding = false

    /// The reason for the failure, or `nil`.
    private(set) var failure: String?

    init(adapter: String, name: String) {
        self.adapter = adapter
        self.name = name
        server = GATTServer(adapter: adapter)
        notifying = Self.sender(0xFFE5, .notify)
        indicating = Self.sender(0xFFE6, .indicate)
        service = LocalService(
            uuid: BluetoothUUID(uint16: 0xFFE0),
            characteristics: [
                Self.reader(0xFFE1, .read, Data("acceptance".utf8)),
                Self.reader(0xFFE2, .read, Self.longValue),
                Self.writer(0xFFE3, .write),
                Self.writer(0xFFE4, .writeWithoutResponse),
                notifying,
                indicating,
                Self.reader(0xFFE7, .encryptRead, Data("secret".utf8)),
                Self.writer(0xFFE8, .write, refusing: ATTError(code: 0x80)),
            ]
        )
        extra = LocalService(
            uuid: BluetoothUUID(uint16: 0xFFF0),
            characteristics: [Self.reader(0xFFF1, .read, Data("extra".utf8))]
        )
        indicating.onConfirm = { report("confirmed") }
    }

    func start() {
        server.onConnectionChange = { device, isConnected in
            report(isConnected ? "connected" : "disconnected", ["central": device.address ?? ""])
        }
        server.onServiceEnded = { report("service ended", ["uuid": "\($0.uuid)", "why": "\($1)"]) }
        server.onStateChange = { [weak self] state in
            guard let self, state != .unknown, state != .resetting else { return }
            if state == .poweredOn { return publish() }
            isPublished ? report("state", ["state": "\(state)"]) : fail("\(state)")
        }
        server.start()
    }

    func execute(_ line: String) {
        switch AcceptanceCommand(rawValue: line.trimmingCharacters(in: .whitespaces)) {
        case .notify: send(on: notifying, "notified")
        case .indicate: send(on: indicating, "indicated")
        case .addService: server.add(extra) { Self.reportResult("service added", $0) }
        case .removeService: server.remove(extra) { Self.reportResult("service removed", $0) }
        case .disconnect: disconnectCentrals()
        case .quit: end()
        case nil: report("unknown command", ["command": line])
        }
    }

    /// Unregisters everything and ends the main loop.
    func end() {
        guard !isEnding else { return MainLoop.main.stop() }
        isEnding = true
        bus?.close()
        server.stop { MainLoop.main.stop() }
    }

    private func publish() {
        guard !isPublished else { return }
        isPublished = true
        server.add(service) { [weak self] result in
            if case .failure(let error) = result { self?.fail("\(error)") }
        }
        let content = LocalAdvertisement(serviceUUIDs: [service.uuid], localName: name)
        server.startAdvertising(content) { [weak self, name] in
            switch $0 {
            case .success: report("advertising", ["name": name])
            case .failure(let error): self?.fail("\(error)")
            }
        }
    }

    private func send(on characteristic: LocalCharacteristic, _ event: String) {
        sent += 1
        do {
            let isHeard = try server.notify(Data([sent]), on: characteristic)
            report(event, ["value": hexadecimal(Data([sent])), "subscribed": "\(isHeard)"])
        } catch {
            report("error", ["text": "\(error)"])
        }
    }

    // A server cannot end a link, but BlueZ lets any program on this machine do it.
    private func disconnectCentrals() {
        do {
            let bus = try self.bus ?? BusConnection(.system, on: MainLoop.main.context)
            self.bus = bus
            for device in server.connectedDevices {
                let address = (device.address ?? "").replacing(":", with: "_")
                guard let path = ObjectPath("/org/bluez/\(adapter)/dev_\(address)") else {
                    continue
                }
                let call = MethodCall(to: "org.bluez", at: path, "org.bluez.Device1", "Disconnect")
                bus.call(call, timeout: .seconds(10)) {
                    Self.reportResult("disconnect", $0.map { _ in }.mapError { $0 })
                }
            }
        } catch {
            report("error", ["text": "\(error)"])
        }
    }

    private func fail(_ reason: String) {
        guard !isEnding else { return }
        failure = reason
        end()
    }

    private static func reportResult(_ event: String, _ result: Result<Void, any Error>) {
        switch result {
        case .success: report(event)
        case .failure(let error): report("error", ["text": "\(error)"])
        }
    }

    private static func reader(
        _ uuid: UInt16,
        _ properties: AttributeProperties,
        _ value: Data
    ) -> LocalCharacteristic {
        LocalCharacteristic(
            uuid: BluetoothUUID(uint16: uuid),
            properties: properties,
            onRead: { request in
                request.respond(with: value)
                report("read", ["uuid": hexadecimal(uuid), "offset": "\(request.offset)"])
            }
        )
    }

    private static func writer(
        _ uuid: UInt16,
        _ properties: AttributeProperties,
        refusing error: ATTError? = nil
    ) -> LocalCharacteristic {
        LocalCharacteristic(
            uuid: BluetoothUUID(uint16: uuid),
            properties: properties,
            onWrite: { request in
                if let error { request.reject(error) } else { request.accept() }
                let event = error == nil ? "written" : "refused"
                let values = ["uuid": hexadecimal(uuid), "value": hexadecimal(request.value)]
                report(event, values)
            }
        )
    }

    private static func sender(
        _ uuid: UInt16,
        _ properties: AttributeProperties
    ) -> LocalCharacteristic {
        let characteristic = LocalCharacteristic(
            uuid: BluetoothUUID(uint16: uuid),
            properties: properties
        )
        characteristic.onSubscriptionChange = {
            report($0 ? "subscribed" : "unsubscribed", ["uuid": hexadecimal(uuid)])
        }
        return characteristic
    }
}
