import BluejayDBus
import BluejayGLib

/// Counts an adapter's advertisements by the signals of bluetoothd.
// Used only on its context.
final class AdvertisingWatch: @unchecked Swift.Sendable {
    private let context = MainContext()
    private let address: String
    private var connection: BusConnection?
    private var subscription: SignalSubscription?
    private var active = 0
    private var begun = 0
    private var waiters: [(isMet: (AdvertisingWatch) -> Bool, resume: () -> Void)] = []

    init(_ address: String) async throws {
        self.address = address
        context.startThread(named: "advertising watch")
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            context.post { self.open(continuation) }
        }
    }

    deinit {
        context.quit()
    }

    private func open(_ continuation: CheckedContinuation<Void, any Error>) {
        do {
            let connection = try BusConnection(.address(address), on: context)
            self.connection = connection
            let rule = MatchRule(
                interface: "org.freedesktop.DBus.Properties",
                member: "PropertiesChanged",
                path: "/org/bluez/hci0",
                firstArgument: "org.bluez.LEAdvertisingManager1"
            )
            subscription = connection.subscribe(rule) { [weak self] in self?.receive($0) }
            // The reply arrives after the subscription has taken effect.
            let bus = "org.freedesktop.DBus"
            let call = MethodCall(to: bus, at: "/org/freedesktop/DBus", bus, "GetId", [])
            connection.call(call, timeout: .seconds(10)) { result in
                continuation.resume(with: result.map { _ in }.mapError { $0 as any Error })
            }
        } catch {
            continuation.resume(throwing: error)
        }
    }

    private func receive(_ message: BusMessage) {
        guard let values = try? message.arguments(), let changed = values[1].namedValues,
            let count = changed["ActiveInstances"]?.integer
        else { return }
        if count > active { begun += count - active }
        active = count
        let ready = waiters.filter { $0.isMet(self) }
        waiters.removeAll { $0.isMet(self) }
        for waiter in ready { waiter.resume() }
    }

    func close() async {
        await withCheckedContinuation { continuation in
            context.post {
                self.subscription?.cancel()
                self.connection?.close()
                continuation.resume()
            }
        }
    }

    /// Waits until `begun` registrations have started and `active` of them exist.
    func wait(begun: Int, active: Int) async {
        await withCheckedContinuation { continuation in
            context.post {
                let isMet: (AdvertisingWatch) -> Bool = { $0.begun == begun && $0.active == active }
                if isMet(self) { return continuation.resume() }
                self.waiters.append((isMet, { continuation.resume() }))
            }
        }
    }

    func counts() async -> [Int] {
        await withCheckedContinuation { continuation in
            context.post { continuation.resume(returning: [self.begun, self.active]) }
        }
    }
}
