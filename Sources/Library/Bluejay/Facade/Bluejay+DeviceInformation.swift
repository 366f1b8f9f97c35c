extension Bluejay {
    /// Reads how full the battery of the connected peripheral is.
    ///
    /// Joins the queue. It is the characteristic Battery Level, which BlueZ 5.48 to 5.79 keep to
    /// themselves and tell all the same; ``CharacteristicIdentifier/batteryLevel`` can be listened to
    /// too.
    ///
    /// - Parameters:
    ///   - timeout: From the call's turn in the queue.
    ///   - completion: Called once, with 0 to 100 percent. Fails as a read of the characteristic does:
    ///     without a battery with ``BluejayError/missingService(_:)``.
    public func batteryLevel(
        timeout: Timeout = .standard,
        completion: @escaping (ReadResult<Int>) -> Void
    ) {
        read(from: .batteryLevel, as: BatteryReading.self, timeout: timeout) { result in
            switch result {
            case .success(let level): completion(.success(Int(level.percent)))
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    /// Reads what the connected peripheral says of itself in the service Device Information, `180A`.
    ///
    /// Joins the queue once: what is there is read, one characteristic after another, before the next call
    /// has its turn. What the peripheral does not have, or refuses to let be read, is nil; why stands in
    /// the error of a read of that characteristic. If the peripheral has several instances of the service,
    /// the first instance with a value wins, field by field.
    ///
    /// - Parameters:
    ///   - timeout: Of all of it, from the call's turn in the queue.
    ///   - completion: Called once. Fails with ``BluejayError/notConnected``,
    ///     ``BluejayError/missingService(_:)``, or what cancelled it.
    public func deviceInformation(
        timeout: Timeout = .standard,
        completion: @escaping (ReadResult<DeviceInformation>) -> Void
    ) {
        let subject = ErrorSubject(.read, ServiceIdentifier.deviceInformation)
        call(for: subject, refuse: { completion(.failure($0)) }) { instance in
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
