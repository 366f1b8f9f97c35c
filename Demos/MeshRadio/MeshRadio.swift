import Bluejay
import BluejayCommandLine
import BluejayGATTServer
import Dispatch
import Foundation
import MeshSupport
import PocketMesh

/// One run of the demo: publish the Nordic UART service, advertise it, answer and send.
///
/// Used on the main loop only.
final class MeshRadio: @unchecked Swift.Sendable {
    private let name: String
    private let requiresPairing: Bool
    private let dropsAfter: Double?
    private let display: RadioDisplay
    private let server: GATTServer
    /// Ends links, for which a server has no call.
    private let links: LinkDisconnector
    private let notifying: LocalCharacteristic
    private let key = Data(
        (0..<MeshResponse.keyLength).map { _ in UInt8.random(in: .min ... .max) }
    )
    private let pairingPrompt: PairingPrompt
    private var heartbeat: (any DispatchSourceTimer)?
    private var isPublished = false
    private var isDropArmed = false
    private var isEnding = false

    /// The reason for the failure, or `nil`.
    private(set) var failure: String?

    init(
        name: String,
        host: BluetoothHost,
        requiresPairing: Bool,
        dropsAfter: Double?,
        display: RadioDisplay
    ) {
        self.name = name
        self.requiresPairing = requiresPairing
        self.dropsAfter = dropsAfter
        self.display = display
        server = GATTServer(host: host)
        links = LinkDisconnector(host: host)
        pairingPrompt = PairingPrompt(display: display)
        notifying = LocalCharacteristic(
            uuid: NordicUART.rxUUID,
            properties: requiresPairing ? [.notify, .encryptAuthenticatedNotify] : .notify
        )
    }

    func start() {
        notifying.onSubscriptionChange = { [weak self] in self?.subscriptionChanged($0) }
        server.onConnectionChange = { [display] device, isConnected in
            let word = isConnected ? "connected" : "disconnected"
            display.event(word, "\(word) \(device)", ["device": "\(device)"])
        }
        server.onServiceEnded = { [weak self] in self?.fail("the service ended: \($1)") }
        server.onStateChange = { [weak self] in self?.stateChanged($0) }
        if requiresPairing {
            server.pairingHandler = { [pairingPrompt] in pairingPrompt.requested($0, by: $1, $2) }
        }
        server.start()
        links.start()
    }

    /// Ends the links, withdraws everything, and ends the main loop.
    func end() {
        guard !isEnding else { return MainLoop.main.stop() }
        isEnding = true
        heartbeat?.cancel()
        // bluetoothd takes two seconds for a link, and may be stuck.
        DispatchQueue.main.asyncAfter(deadline: .now() + 5) { MainLoop.main.stop() }
        let server = server
        server.stopAdvertising { [links] in
            links.end(server.centrals) { server.stop { MainLoop.main.stop() } }
        }
    }

    func execute(_ line: String) {
        switch RadioCommand(line) {
        case .drop: dropLink()
        case .yes: pairingPrompt.accept()
        case .no: pairingPrompt.reject()
        case .number(let number): pairingPrompt.enterPasskey(number)
        case .help: display.hint(RadioCommand.usage)
        case .quit: end()
        case nil: display.hint("unknown command \(line.printable); try help")
        }
    }

    // MARK: Bluetooth

    private func stateChanged(_ state: BluetoothState) {
        if state == .poweredOn, !isPublished { return publish() }
        guard state != .unknown, state != .resetting else { return }
        // A missing adapter at the start is final; later it may return.
        guard isPublished else { return fail("\(state)") }
        display.event("bluetooth", "Bluetooth: \(state)", ["state": "\(state)"])
    }

    private func publish() {
        isPublished = true
        let writing = LocalCharacteristic(
            uuid: NordicUART.txUUID,
            properties: requiresPairing ? [.write, .encryptAuthenticatedWrite] : .write,
            onWrite: { [weak self] request in
                request.accept()
                self?.received(MeshCommand(request.value))
            }
        )
        let service = LocalService(
            uuid: NordicUART.serviceUUID,
            characteristics: [writing, notifying]
        )
        server.add(service) { [weak self] result in
            if case .failure(let error) = result { self?.fail("\(error)") }
        }
        let advertisement = LocalAdvertisement(serviceUUIDs: [service.uuid], localName: name)
        server.startAdvertising(advertisement) { [weak self] in self?.advertising($0) }
        let heartbeat = DispatchSource.makeTimerSource(queue: .main)
        heartbeat.schedule(deadline: .now() + 1, repeating: 1)
        heartbeat.setEventHandler { [weak self] in self?.sendAdvert() }
        heartbeat.resume()
        self.heartbeat = heartbeat
    }

    private func advertising(_ result: Result<Void, any Error>) {
        switch result {
        case .success:
            display.event("advertising", "advertising \(name.printable)", ["name": name])
        case .failure(let error): fail("\(error)")
        }
    }

    private func subscriptionChanged(_ isSubscribed: Bool) {
        display.event(
            isSubscribed ? "subscribed" : "unsubscribed",
            isSubscribed ? "a central is subscribed" : "no central is subscribed"
        )
        guard isSubscribed, let dropsAfter, !isDropArmed else { return }
        isDropArmed = true
        DispatchQueue.main.asyncAfter(deadline: .now() + dropsAfter) { [weak self] in
            self?.dropLink()
        }
    }

    private func dropLink() {
        guard !isEnding else { return }
        let centrals = server.centrals
        guard !centrals.isEmpty else { return display.hint("no central is connected") }
        display.event("drop", "dropping the link")
        links.end(centrals)
    }

    private func fail(_ reason: String) {
        guard !isEnding else { return }
        failure = reason
        end()
    }

    // MARK: Packets

    private func received(_ command: MeshCommand) {
        display.event(
            "received",
            "< \(command)",
            ["packet": "\(command)", "bytes": command.data.hexadecimal]
        )
        switch command {
        case .start: send(.selfInfo(key: key, name: name))
        case .requestTime: send(.time(Self.now))
        case .text(let text, _):
            send(.ok)
            // The simulated mesh echoes each text.
            send(.text("\(name): \(text)", at: Self.now))
        case .other: send(.refused(Self.unknownCommand))
        }
    }

    /// `ERR_CODE_UNSUPPORTED_CMD` of the firmware.
    private static let unknownCommand: UInt8 = 1

    private static var now: UInt32 { UInt32(truncatingIfNeeded: Int(Date().timeIntervalSince1970)) }

    private func sendAdvert() {
        if notifying.isSubscribed { send(.advert(key: key)) }
    }

    private func send(_ response: MeshResponse) {
        do {
            guard try server.notify(response.data, on: notifying) else { return }
            display.event(
                "sent",
                "> \(response)",
                ["packet": "\(response)", "bytes": response.data.hexadecimal]
            )
        } catch {
            display.event("unsent", "not sent: \(error)", ["reason": "\(error)"])
        }
    }
}

extension Data {
    fileprivate var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
