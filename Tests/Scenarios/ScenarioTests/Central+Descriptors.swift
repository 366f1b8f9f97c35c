import Bluejay
import Foundation
import Staging

/// Calls that concern descriptors and other parts of a peripheral, as functions.
extension RecordingCentral {
    func value<R: Receivable & Swift.Sendable>(
        of descriptor: DescriptorIdentifier,
        as type: R.Type = R.self
    ) async throws -> R {
        try await awaited { central, completion in
            central.bluejay.read(from: descriptor) { (result: ReadResult<R>) in
                completion(result.result)
            }
        }
    }

    func write(_ value: Data, to descriptor: DescriptorIdentifier) async throws {
        try await awaited { central, completion in
            central.bluejay.write(to: descriptor, value: value) { completion($0.result) }
        }
    }

    func setAlias(_ alias: String) async throws {
        try await awaited { central, completion in
            central.bluejay.setAlias(alias) { completion($0.result) }
        }
    }

    func batteryLevel() async throws -> Int {
        try await awaited { central, completion in
            central.bluejay.batteryLevel { completion($0.result) }
        }
    }

    func deviceInformation(timeout: Timeout = .none) async throws -> DeviceInformation {
        try await awaited { central, completion in
            central.bluejay.deviceInformation(timeout: timeout) { completion($0.result) }
        }
    }

    func details() async throws -> PeripheralDetails {
        try await read { try $0.bluejay.peripheralDetails() }
    }

    func noteRead(_ name: String, of descriptor: DescriptorIdentifier, timeout: Timeout = .none) {
        bluejay.read(from: descriptor, timeout: timeout) { [weak self] (result: ReadResult<Data>) in
            switch result {
            case .success(let value): self?.recordEvent("\(name) \(hexadecimal(Array(value)))")
            case .failure(let error): self?.recordEvent("\(name) \(errorName(error))")
            }
        }
    }

    func noteWrite(_ name: String, _ value: UInt8, to descriptor: DescriptorIdentifier) {
        bluejay.write(to: descriptor, value: value) { [weak self] in
            self?.recordEvent("\(name) \($0.text)")
        }
    }

    private func awaited<Value: Swift.Sendable>(
        _ call:
            @escaping @Sendable (RecordingCentral, @escaping (Result<Value, any Error>) -> Void) ->
            Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            loop.post { [self] in call(self) { continuation.resume(with: $0) } }
        }
    }
}

extension ReadResult {
    var outcome: String {
        switch self {
        case .success: "ok"
        case .failure(let error): errorName(error)
        }
    }
}
