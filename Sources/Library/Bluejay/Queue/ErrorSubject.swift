internal import FoundationEssentials

/// A call and its target, which errors name.
struct ErrorSubject {
    var call: BluejayError.Call
    var characteristic: CharacteristicIdentifier?
    var descriptor: DescriptorIdentifier?
    var service: ServiceIdentifier?
    /// The peripheral, if it is not the connected one.
    var peripheral: PeripheralIdentifier?

    init(
        _ call: BluejayError.Call,
        _ characteristic: CharacteristicIdentifier? = nil,
        peripheral: PeripheralIdentifier? = nil
    ) {
        self.call = call
        self.characteristic = characteristic
        self.peripheral = peripheral
    }

    init(_ call: BluejayError.Call, _ descriptor: DescriptorIdentifier) {
        self.init(call, descriptor.characteristic)
        self.descriptor = descriptor
    }

    init(_ call: BluejayError.Call, _ service: ServiceIdentifier) {
        self.init(call)
        self.service = service
    }

    /// A description such as `read of 2A37`.
    var text: String {
        let object = descriptor?.text ?? characteristic?.text ?? service?.description
        return object.map { call.text($0) } ?? call.description
    }

    func decode<R: Receivable>(_ result: Result<Data, any Error>) -> ReadResult<R> {
        Self.decode(result, self)
    }

    /// Decodes a value, and evaluates the subject only if decoding fails.
    ///
    /// The queue has already added the subject to its own errors.
    static func decode<R: Receivable>(
        _ result: Result<Data, any Error>,
        _ subject: @autoclosure () -> ErrorSubject
    ) -> ReadResult<R> {
        switch result {
        case .failure(let error): return .failure(error)
        case .success(let data):
            do {
                return .success(try R(bluetoothData: data))
            } catch {
                return .failure(subject().annotate(error))
            }
        }
    }

    /// Returns a closure that decodes each value for a completion; bytes need no decoding.
    func decoder<R: Receivable>(
        for completion: @escaping (ReadResult<R>) -> Void
    ) -> (Data) -> Void {
        guard let completion = completion as? (ReadResult<Data>) -> Void else {
            return { completion(decode(.success($0))) }
        }
        return { completion(.success(Data(bluetoothData: $0))) }
    }

    /// Adds the subject to an error of this library; returns other errors unchanged.
    func annotate(_ error: any Error, _ peripheral: PeripheralIdentifier? = nil) -> any Error {
        guard let error = error as? BluejayError else { return error }
        return error.during(
            call,
            of: characteristic,
            descriptor: descriptor,
            service: service,
            peripheral: self.peripheral ?? peripheral
        )
    }
}

extension Optional where Wrapped == ErrorSubject {
    func annotate(_ error: BluejayError) -> any Error { self?.annotate(error) ?? error }
}
