public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials

// MARK: Values for one central

extension GATTServer {
    /// Whether this BlueZ can send a notification to one central only.
    ///
    /// This depends on the version of BlueZ on the adapter in use: 5.76 and later can. An unreadable version,
    /// for example one hidden by `DeviceID` in `main.conf`, counts as the oldest.
    public var addressing: NotificationAddressing { instance.publicState.value.addressing }

    /// The number of requests refused because 64 of the same central were unanswered, or because 256 waited
    /// for an asynchronous handler.
    public var rejectedRequestCount: Int { instance.publicState.value.rejectedRequestCount }

    /// Sends a value to one subscribed central.
    ///
    /// With ``NotificationAddressing/unicast``, no other central receives the value. With
    /// ``NotificationAddressing/broadcast``, or if the central's ``Subscriber/sharesValues`` is true, the value
    /// is sent only while no other central is connected. Otherwise it is refused, even when it is already
    /// queued, so that it never reaches another central.
    ///
    /// The values for a central are sent in the order of the calls; at most 256 are queued while bluetoothd
    /// does not accept them. ``LocalCharacteristic/value`` does not change. If the subscription ends, queued
    /// values are lost, which the form with a completion reports.
    ///
    /// - Parameters:
    ///   - value: 1 to 512 bytes, and at most ``Subscriber/maximumValueLength`` if the MTU is known; BlueZ
    ///     before 5.59 does not report the MTU and truncates longer values.
    ///   - characteristic: A characteristic with `subscriptions: .perCentral` of an added service.
    ///   - central: One of ``LocalCharacteristic/subscribers``, or, where BlueZ reports only the first
    ///     subscriber, any connected central.
    /// - Throws: ``BluejayError/notSubscribed(_:)``, ``BluejayError/notAddressable(_:)``,
    ///   ``BluejayError/tooManyValues(limit:)``, ``BluejayError/valueTooLong(length:limit:)``,
    ///   ``BluejayError/notSupported(_:)`` for an empty value, ``BluejayError/notAdded(_:)``,
    ///   ``BluejayError/notSubscribable(_:)`` or ``BluejayError/invalidProperties(_:_:)``; on another thread
    ///   ``BluejayError/blockedMainLoop`` if the loop does not respond within 3 s.
    public func notify(
        _ value: Data,
        on characteristic: LocalCharacteristic,
        to central: PeripheralIdentifier
    ) throws {
        try result {
            try $0.publisher.notify(value, on: characteristic, to: central, completion: nil)
        }
    }

    /// Sends a value to one subscribed central, and reports when bluetoothd's socket has accepted it.
    ///
    /// - Parameters:
    ///   - value: As for ``notify(_:on:to:)``.
    ///   - characteristic: As for ``notify(_:on:to:)``.
    ///   - central: As for ``notify(_:on:to:)``.
    ///   - completion: Fails with the errors of ``notify(_:on:to:)``, and with
    ///     ``BluejayError/notSubscribed(_:)`` or ``BluejayError/notAddressable(_:)`` while the value is
    ///     queued. Success does not mean that the central has received the value: centrals do not confirm
    ///     notifications.
    public func notify(
        _ value: Data,
        on characteristic: LocalCharacteristic,
        to central: PeripheralIdentifier,
        completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void
    ) {
        perform(completion) { instance, completion in
            do {
                try instance.publisher.notify(
                    value,
                    on: characteristic,
                    to: central,
                    completion: completion
                )
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Sends a value to one subscribed central, and returns when bluetoothd's socket has accepted it.
    ///
    /// A task that awaits each value sends no faster than bluetoothd accepts them. Cancelling the task does
    /// not cancel the value.
    ///
    /// - Parameters:
    ///   - value: As for ``notify(_:on:to:)``.
    ///   - characteristic: As for ``notify(_:on:to:)``.
    ///   - central: As for ``notify(_:on:to:)``.
    /// - Throws: The errors of the form with a completion.
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

// MARK: Package interface

extension GATTServer {
    /// Whether BlueZ 5.70 or later reports each subscribed central; on the loop only.
    package var reportsEachSubscriber: Bool { instance.publisher.reportsEachSubscriber }

    /// Sends a value like ``notify(_:on:)``, and completes when each subscriber's socket has accepted it or
    /// is closed.
    ///
    /// - Parameters:
    ///   - value: As for ``notify(_:on:)``.
    ///   - characteristic: As for ``notify(_:on:)``.
    ///   - completion: Fails with the errors of ``notify(_:on:)``; without a subscriber it succeeds.
    package func notify(
        _ value: Data,
        on characteristic: LocalCharacteristic,
        completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void
    ) {
        perform(completion) { instance, completion in
            do {
                let isSent = try instance.publisher.notify(
                    value,
                    on: characteristic,
                    completion: completion
                )
                if !isSent { completion(.success(())) }
            } catch {
                completion(.failure(error))
            }
        }
    }
}
