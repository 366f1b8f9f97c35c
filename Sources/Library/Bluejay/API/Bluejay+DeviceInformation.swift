extension Bluejay {
    /// Reads the battery level of the connected peripheral.
    ///
    /// Joins the queue. The value is the characteristic Battery Level. BlueZ 5.48 to 5.79 hide this
    /// characteristic, but it can be read all the same, and ``CharacteristicIdentifier/batteryLevel`` can be
    /// listened to.
    ///
    /// - Parameters:
    ///   - timeout: Counted from its turn in the queue.
    ///   - completion: Called once, with 0 to 100 percent. Fails like a read of the characteristic; without a
    ///     battery, with ``BluejayError/missingService(_:)``; for a level above 100, which is reserved, with
    ///     ``BluejayError/notSupported(_:)``.
    public func batteryLevel(
        timeout: Timeout = .standard,
        completion: @escaping @isolated(any) (ReadResult<Int>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        read(from: .batteryLevel, as: BatteryReading.self, timeout: timeout) { result in
            switch result {
            case .success(let level):
                guard let percent = level.percent else {
                    return completion(.failure(BluejayError.notSupported(Self.reservedLevel)))
                }
                completion(.success(Int(percent)))
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    private static let reservedLevel =
        "the peripheral reports a battery level above 100 percent; read the characteristic as UInt8"

    /// Reads the connected peripheral's service Device Information, `180A`.
    ///
    /// Joins the queue once: the characteristics are read one after another, before the next call has its
    /// turn. A characteristic that is missing, or that the peripheral refuses to read, is `nil`; a read of
    /// that characteristic fails with the reason. If the peripheral has several instances of the service,
    /// each field has the value of the first instance that has one.
    ///
    /// - Parameters:
    ///   - timeout: The limit for all reads together, counted from its turn in the queue.
    ///   - completion: Called once. Fails with ``BluejayError/notConnected``,
    ///     ``BluejayError/missingService(_:)``, or the error that cancelled it.
    public func deviceInformation(
        timeout: Timeout = .standard,
        completion: @escaping @isolated(any) (ReadResult<DeviceInformation>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        let subject = ErrorSubject(.read, ServiceIdentifier.deviceInformation)
        call(for: subject, onRejection: { completion(.failure($0)) }) { instance in
            instance.queue.enqueue(
                DeviceInformationOperation(instance.link, timeout: timeout) { result in
                    switch result {
                    case .success(let information): completion(.success(information))
                    case .failure(let error): completion(.failure(error))
                    }
                }
            )
        }
    }
}
