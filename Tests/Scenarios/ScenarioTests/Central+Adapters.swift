import Bluejay
import Foundation
import Staging

/// An adapter observer that records events in a `Central`.
///
/// Used only on the central's loop, which justifies `@unchecked`.
final class AdapterWatch: AdapterObserver, @unchecked Swift.Sendable {
    private weak var central: RecordingCentral?
    private let name: String
    /// Called with each event after it is recorded.
    var also: ((String) -> Void)?

    init(_ central: RecordingCentral, as name: String) {
        self.central = central
        self.name = name
    }

    private func note(_ text: String) {
        central?.recordEvent("\(name) \(text)")
        also?(text)
    }

    func adapterAppeared(_ adapter: BluetoothAdapter) { note("appeared \(adapter.text)") }
    func adapterVanished(_ adapter: BluetoothAdapter) { note("vanished \(adapter.name)") }
    func adapterChanged(_ adapter: BluetoothAdapter, from old: BluetoothAdapter) {
        note("changed \(old.text) to \(adapter.text)")
    }
    func adapterInUseChanged(to adapter: BluetoothAdapter?) {
        note("uses \(adapter?.name ?? "none")")
    }
}

extension BluetoothAdapter {
    /// For example, `hci0 on discovering`.
    fileprivate var text: String {
        let power = isPowered ? "on" : isBlocked ? "blocked" : "off"
        let name = alias.hasPrefix("BlueZ") ? name : "\(name) \"\(alias)\""
        return "\(name) \(power)\(isDiscovering ? " discovering" : "")"
    }
}

extension RecordingCentral {
    /// Registers an adapter observer that lives as long as the central.
    @discardableResult
    func watchAdapters(as name: String = "watch") async -> AdapterWatch {
        let watch = AdapterWatch(self, as: name)
        await run { central in
            central.retainedObjects.append(watch)
            central.bluejay.register(adapterObserver: watch)
        }
        return watch
    }

    /// Records `NAME ok`, or `NAME` and the error; for use on the loop only.
    func ended<Value>(_ name: String) -> (Result<Value, BluejayError>) -> Void {
        { [weak self] result in
            switch result {
            case .success: self?.recordEvent("\(name) ok")
            case .failure(let error): self?.recordEvent("\(name) \(errorName(error))")
            }
        }
    }

    func end<Value: Swift.Sendable>(
        of call:
            @escaping @Sendable (Bluejay, @escaping (Result<Value, BluejayError>) -> Void) ->
            Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            loop.post { [self] in
                call(bluejay) { continuation.resume(with: $0.mapError { $0 }) }
            }
        }
    }

    func setPowered(_ isOn: Bool, of adapter: String? = nil) async throws -> BluetoothAdapter {
        try await end { $0.setPowered(isOn, of: adapter, completion: $1) }
    }

    func useAdapter(_ adapter: String?) async throws -> BluetoothAdapter {
        try await end { $0.useAdapter(adapter, completion: $1) }
    }

    func listAdapters() async throws -> [BluetoothAdapter] {
        try await end { $0.listAdapters(completion: $1) }
    }

    func known(onlyBonded: Bool = false) async throws -> [KnownPeripheral] {
        try await end { $0.knownPeripherals(onlyBonded: onlyBonded, completion: $1) }
    }

    func connectedPeripherals(_ services: [ServiceIdentifier]? = nil) async throws
        -> [PeripheralIdentifier]
    {
        try await end { $0.connectedPeripherals(withServices: services, completion: $1) }
    }

    func forget(_ peripheral: PeripheralIdentifier) async throws {
        try await end { $0.forget(peripheral, completion: $1) }
    }
}

/// The calls that do not join the queue.
enum AdapterCall: String, CaseIterable {
    case list, power, alias, use, connected, known, forget

    /// Makes the call and records its end under `name`.
    func make(_ central: RecordingCentral, as name: String, then: @escaping () -> Void = {}) {
        make(central.bluejay) { [weak central] text in
            central?.recordEvent("\(name) \(text)")
            then()
        }
    }

    /// Makes the call and reports its end as `ok` or the name of the error.
    func make(_ bluejay: Bluejay, _ completion: @escaping (String) -> Void) {
        func ended<Value>() -> (Result<Value, BluejayError>) -> Void {
            { result in
                switch result {
                case .success: completion("ok")
                case .failure(let error): completion(errorName(error))
                }
            }
        }
        switch self {
        case .list: bluejay.listAdapters(completion: ended())
        case .power: bluejay.setPowered(true, completion: ended())
        case .alias: bluejay.setAdapterAlias("lab", completion: ended())
        case .use: bluejay.useAdapter(nil, completion: ended())
        case .connected: bluejay.connectedPeripherals(completion: ended())
        case .known: bluejay.knownPeripherals(completion: ended())
        case .forget: bluejay.forget(Self.stranger, completion: ended())
        }
    }

    /// A peripheral that bluetoothd does not know.
    static let stranger = PeripheralIdentifier(
        uuid: UUID(uuidString: "C0000000-00FF-8101-8062-6C75656A6179") ?? UUID(),
        name: "Stranger"
    )

    var usualEnd: String { self == .forget ? "peripheralNotFound" : "ok" }
}
