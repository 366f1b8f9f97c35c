internal import BluejayBlueZ
internal import Foundation

/// A write of one characteristic.
final class WriteOperation: QueuedOperation {
    /// The longest attribute value, Core Specification, Vol 3, Part F, 3.2.9.
    static let longestValue = 512

    let timeout: Duration?
    var name: String { "write to \(characteristic.uuid)" }

    private let characteristic: CharacteristicIdentifier
    private let value: Data
    private let type: WriteType
    private let completion: (WriteResult) -> Void

    init(
        _ characteristic: CharacteristicIdentifier,
        value: Data,
        type: WriteType,
        timeout: Timeout = .none,
        completion: @escaping (WriteResult) -> Void
    ) {
        self.characteristic = characteristic
        self.value = value
        self.type = type
        self.timeout = timeout.duration
        self.completion = completion
    }

    func start(_ runner: OperationRunner, done: @escaping (BluejayError?) -> Void) {
        runner.resolve(characteristic, done) { link, object in
            if let refusal = refusal(link, object) { return done(refusal) }
            link.write(object.path, Array(value), withResponse: type == .withResponse) {
                [weak runner, name] result in
                switch result {
                case .success: done(nil)
                case .failure(let failure):
                    done(runner?.error(failure, doing: name))
                }
            }
        }
    }

    func complete(_ error: (any Error)?) {
        completion(error.map { .failure($0) } ?? .success)
    }

    // bluetoothd sends a command whatever the characteristic says of itself, and the peer drops it
    // without a word.
    private func refusal(_ link: Link, _ object: GATTCharacteristic) -> BluejayError? {
        var limit = Self.longestValue
        if type == .withoutResponse {
            guard object.flags.contains("write-without-response") else {
                return .notSupported("write without response to \(characteristic.uuid)")
            }
            limit = min(limit, link.mtu(of: object.path) - 3)
        }
        return value.count > limit ? .valueTooLong(length: value.count, limit: limit) : nil
    }
}
