internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// The battery of a device whose service 180F bluetoothd hides and represents by `Battery1`.
///
/// bluetoothd itself subscribes to the level, so notifications need no call.
final class HiddenBatteryService {
    /// The time timeout for the first level; bluetoothd reads it after the services are resolved.
    private static let readTime = Duration.seconds(5)

    private let device: LinkDevice
    private let client: BlueZClient
    private let calls: AttributeCalls
    private var reads: Set<AttributeStateMachine.CallNumber> = []

    init(_ context: LinkContext, _ calls: AttributeCalls) {
        self.calls = calls
        device = context.device
        client = context.client
    }

    /// Whether bluetoothd hides the battery service, given the services that have objects.
    func isHidden(given services: [DiscoveredService]) -> Bool {
        let battery = CharacteristicIdentifier.batteryLevel.service.uuid
        guard let path = device.path, !services.contains(where: { $0.uuid == battery }) else {
            return false
        }
        return client.objects.properties(path, Battery1.interface) != nil
            || device.properties?.uuids.contains(battery) == true
    }

    private var level: UInt8? {
        device.path.flatMap { client.objects.properties($0, Battery1.interface) }
            .flatMap { Battery1($0).percentage }
    }

    func perform(
        _ call: AttributeStateMachine.CallNumber,
        _ kind: AttributeStateMachine.CallKind,
        within timeout: Duration
    ) {
        guard case .request = kind, level == nil else {
            return client.clock.onNextIteration { [weak self] in self?.finish(call) }
        }
        reads.insert(call)
        calls.wait(call, for: min(timeout, Self.readTime)) { [weak self] in
            self?.reads.remove(call)
            self?.calls.finish(call, .timedOut)
        }
    }

    func cancel(_ call: AttributeStateMachine.CallNumber) {
        reads.remove(call)
    }

    /// Completes the waiting reads; returns the level, or nil if unknown.
    func completeReads() -> UInt8? {
        guard let level else { return nil }
        for call in reads.sorted() {
            reads.remove(call)
            finish(call)
        }
        return level
    }

    private func finish(_ call: AttributeStateMachine.CallNumber) {
        calls.finish(call, .success(Data(level.map { [$0] } ?? [])))
    }
}
