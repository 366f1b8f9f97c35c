internal import FoundationEssentials

/// What an operation does to what: the errors that end it say so.
struct ErrorSubject {
    var call: BluejayError.Call
    var characteristic: CharacteristicIdentifier?
    var descriptor: DescriptorIdentifier?
    var service: ServiceIdentifier?
    /// Where it is not the connected one.
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

    /// What is done to a descriptor.
    init(_ call: BluejayError.Call, _ descriptor: DescriptorIdentifier) {
        self.init(call, descriptor.characteristic)
        self.descriptor = descriptor
    }

    /// What is done to a service.
    init(_ call: BluejayError.Call, _ service: ServiceIdentifier) {
        self.init(call)
        self.service = service
    }

    /// Such as `read of 2A37`.
    var text: String {
        let object = descriptor?.text ?? characteristic?.text ?? service?.description
        return object.map { call.text($0) } ?? call.description
    }

    /// A value, or why it cannot be decoded.
    func decode<R: Receivable>(_ result: Result<Data, any Error>) -> ReadResult<R> {
        Self.decode(result, self)
    }

    /// A value, or why it cannot be decoded: then the subject is asked for.
    ///
    /// The queue has named what it failed with.
    @inline(__always)
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
                return .failure(subject().named(error))
            }
        }
    }

    /// What decodes each value for a completion; bytes are handed on as they are.
    func decoder<R: Receivable>(
        for completion: @escaping (ReadResult<R>) -> Void
    ) -> (Data) -> Void {
        guard let completion = completion as? (ReadResult<Data>) -> Void else {
            return { completion(decode(.success($0))) }
        }
        return { completion(.success(Data(bluetoothData: $0))) }
    }

    /// An error of this library with the subject; another as it is.
    func named(_ error: any Error, _ peripheral: PeripheralIdentifier? = nil) -> any Error {
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
    func named(_ error: BluejayError) -> any Error { self?.named(error) ?? error }
}
