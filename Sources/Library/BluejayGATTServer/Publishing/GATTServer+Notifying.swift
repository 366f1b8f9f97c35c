public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials

// Values for one central.

extension GATTServer {
    /// Whom this BlueZ can send a notification to.
    ///
    /// It is read from the version that the adapter in use tells: 5.76 and later can mean one central. A
    /// version that cannot be read, as where `DeviceID` in `main.conf` hides it, counts as the oldest.
    public var addressing: NotificationAddressing { runner.shown.value.addressing }

    /// How many requests were refused because 64 of the same central waited for an answer, or 256 for the turn
    /// of an asynchronous handler.
    public var refusedRequestCount: Int { runner.shown.value.refusedRequestCount }

    /// Sends a value to one subscribed central.
    ///
    /// Where ``addressing`` is ``NotificationAddressing/each`` nobody else gets it. Where it is
    /// ``NotificationAddressing/all`` it is sent only while the central is the only one that is connected,
    /// and refused otherwise; one that still waits when another central connects is refused then. It never
    /// reaches anybody else. The same holds for a central that ``Subscriber/sharesValues``.
    ///
    /// The values for a central are sent in the order of the calls. While bluetoothd does not take them, at
    /// most 256 wait. ``LocalCharacteristic/value`` stays as it is. A value that waits when the
    /// subscription ends is lost with it: the form with a completion tells.
    ///
    /// - Parameters:
    ///   - value: 1 to 512 bytes, and no more than its ``Subscriber/maximumValueLength`` where the MTU is
    ///     known; BlueZ before 5.59 does not tell the MTU and cuts off what does not fit.
    ///   - characteristic: One with `subscriptions: .perCentral`, of a service that is added.
    ///   - central: One of ``LocalCharacteristic/subscribers``, or, where only the first is told of, one
    ///     that is connected.
    /// - Throws: ``BluejayError/notSubscribed(_:)``, ``BluejayError/notAddressable(_:)``,
    ///   ``BluejayError/tooManyValues(limit:)``, ``BluejayError/valueTooLong(length:limit:)``,
    ///   ``BluejayError/notSupported(_:)`` for an empty value, ``BluejayError/notAdded(_:)``,
    ///   ``BluejayError/notSubscribable(_:)`` or ``BluejayError/invalidProperties(_:_:)``; on another thread
    ///   ``BluejayError/blockedMainLoop`` when the loop does not answer within 3 s.
    public func notify(
        _ value: Data,
        on characteristic: LocalCharacteristic,
        to central: PeripheralIdentifier
    ) throws {
        try result {
            try $0.publisher.notify(value, on: characteristic, to: central, completion: nil)
        }
    }

    /// As ``notify(_:on:to:)``, and tells when bluetoothd's socket has the value.
    ///
    /// - Parameters:
    ///   - value: As there.
    ///   - characteristic: As there.
    ///   - central: As there.
    ///   - completion: Fails with what the other form throws, and with ``BluejayError/notSubscribed(_:)``
    ///     or ``BluejayError/notAddressable(_:)`` when that comes while the value waits. Success does not
    ///     mean that the central has it: no central confirms a notification.
    public func notify(
        _ value: Data,
        on characteristic: LocalCharacteristic,
        to central: PeripheralIdentifier,
        completion: @escaping Completion
    ) {
        outside(completion) { runner, done in
            do {
                try runner.publisher.notify(
                    value,
                    on: characteristic,
                    to: central,
                    completion: done
                )
            } catch {
                done(.failure(error))
            }
        }
    }

    /// As ``notify(_:on:to:)``, and returns when bluetoothd's socket has the value.
    ///
    /// A task that awaits each value sends no faster than bluetoothd takes them. Cancelling the task does not
    /// take its value back.
    ///
    /// - Parameters:
    ///   - value: As there.
    ///   - characteristic: As there.
    ///   - central: As there.
    /// - Throws: As the form with a completion fails.
    public nonisolated(nonsending) func notifyAndWait(
        _ value: Data,
        on characteristic: LocalCharacteristic,
        to central: PeripheralIdentifier
    ) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            let hold = ClockHold.current
            hold?.pause()
            notify(value, on: characteristic, to: central) {
                hold?.resume()
                continuation.resume(with: $0)
            }
        }
    }
}

// What the layers of this package know besides.

extension GATTServer {
    /// Whether BlueZ tells of each central that subscribes; before 5.70 it is the first one only.
    ///
    /// On the loop only.
    package var tellsEachSubscriber: Bool { runner.publisher.tellsEachSubscriber }

    /// As ``notify(_:on:)``, and tells when the sockets of all subscribers have the value, or are gone.
    ///
    /// - Parameters:
    ///   - value: As there.
    ///   - characteristic: As there.
    ///   - completion: Fails with what that throws; without a subscriber it succeeds.
    package func notify(
        _ value: Data,
        on characteristic: LocalCharacteristic,
        completion: @escaping Completion
    ) {
        outside(completion) { runner, done in
            do {
                let isSent = try runner.publisher.notify(
                    value,
                    on: characteristic,
                    completion: done
                )
                if !isSent { done(.success(())) }
            } catch {
                done(.failure(error))
            }
        }
    }
}
