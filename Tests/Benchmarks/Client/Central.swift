import Bluejay
import Foundation

/// Reads, writes, listens or scans, one operation behind the other.
final class Central {
    /// Operations before the count: what happens once only is not counted.
    private static let warmUp = 100

    private let row: String
    private let count: Int
    private let bluejay = Bluejay()
    private let payload = Data(0..<20)
    private var done = 0

    private let value: CharacteristicIdentifier
    private let notifier: CharacteristicIdentifier
    private let control: CharacteristicIdentifier

    init(_ row: String, _ count: Int) {
        self.row = row
        self.count = count
        let service = ServiceIdentifier(uuid: uuid(0).uuidString)
        value = CharacteristicIdentifier(uuid: uuid(1).uuidString, service: service)
        notifier = CharacteristicIdentifier(uuid: uuid(2).uuidString, service: service)
        control = CharacteristicIdentifier(uuid: uuid(4).uuidString, service: service)
    }

    func start() {
        bluejay.start()
        if row == "scan" { return whenAvailable { [self] in scan() } }
        guard
            let peer = try? PeripheralIdentifier(
                address: "C0:00:00:00:00:01",
                isRandomAddress: true,
                name: nil
            )
        else { fail("no address") }
        bluejay.connect(peer, timeout: 60) { [self] result in
            guard case .success = result else { fail("connect: \(result)") }
            row == "notify" ? listen() : store()
        }
    }

    // MARK: Reads and writes

    private func store() {
        bluejay.write(to: value, value: payload) { [self] result in
            guard case .success = result else { fail("write: \(result)") }
            repeatRow(Self.warmUp) { [self] in
                waitForStart()
                repeatRow(count) { exit(0) }
            }
        }
    }

    private func repeatRow(_ left: Int, then: @escaping () -> Void) {
        guard left > 0 else { return then() }
        if row == "read" {
            bluejay.read(from: value) { [self] (result: ReadResult<Data>) in
                guard case .success(let data) = result, data == payload else {
                    fail("read: \(result)")
                }
                repeatRow(left - 1, then: then)
            }
        } else {
            bluejay.write(to: value, value: payload) { [self] result in
                guard case .success = result else { fail("write: \(result)") }
                repeatRow(left - 1, then: then)
            }
        }
    }

    // MARK: Notifications

    private func listen() {
        bluejay.listen(to: notifier) { [self] (result: ReadResult<Data>) in
            guard case .success(let data) = result, data.count == 20 else {
                fail("listen: \(result)")
            }
            let number = data.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            guard number == done else { fail("a notification was lost") }
            done += 1
            if done == count { exit(0) }
        }
        // Behind the set-up.
        bluejay.read(from: control) { [self] (_: ReadResult<Data>) in
            waitForStart()
            order()
        }
    }

    private func order() {
        var command = Data("N".utf8)
        command.append(contentsOf: [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: count >> $0) })
        command.append(contentsOf: [20, 0])
        bluejay.write(to: control, value: command) { result in
            guard case .success = result else { fail("order: \(result)") }
        }
    }

    // MARK: Scanning

    private func whenAvailable(_ action: @escaping () -> Void) {
        let observer = Availability(action)
        availability = observer
        bluejay.register(connectionObserver: observer)
    }

    private var availability: Availability?

    private func scan() {
        availability = nil
        waitForStart()
        bluejay.scan(
            allowDuplicates: true,
            throttleRSSIDelta: 0,
            serviceIdentifiers: nil
        ) { discovery, _ in
            discovery.advertisement.localName == "END" ? .stop : .continue
        } stopped: { _, error in
            if let error { fail("scan: \(error)") }
            exit(0)
        }
    }
}

private final class Availability: ConnectionObserver {
    private var action: (() -> Void)?

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    func bluetoothAvailable(_ available: Bool) {
        guard available, let action else { return }
        self.action = nil
        action()
    }
}
