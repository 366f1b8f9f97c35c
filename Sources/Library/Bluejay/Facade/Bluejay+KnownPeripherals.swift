internal import BluejayBlueZ
internal import BluejayDBus

/// The peripherals that bluetoothd knows on the adapter in use, whoever made them known.
///
/// As with the adapters, these calls join no queue and need no radio, and wait for bluetoothd's first
/// answer. Each completion is called once, on the main loop, in a later turn.
extension Bluejay {
    /// Lists the peripherals that are connected on the adapter in use, whoever connected them.
    ///
    /// That is this instance, another one, another program, or bluetoothd itself; headsets and keyboards
    /// with classic Bluetooth are among them. To use one, connect to it: that is quick, for the link is
    /// there.
    ///
    /// - Parameters:
    ///   - services: Peripherals that have one of them; nil or empty is all. What has just been connected
    ///     counts with what it advertised.
    ///   - completion: Called once. Fails with ``BluejayError/bluetoothUnavailable(_:)`` or
    ///     ``BluejayError/malformedUUID(_:)``.
    public func connectedPeripherals(
        withServices services: [ServiceIdentifier]? = nil,
        completion: @escaping (Result<[PeripheralIdentifier], BluejayError>) -> Void
    ) {
        begin(.connectedPeripherals, completion) { instance, finish in
            if let refusal = instance.gate.refusal(services ?? []) {
                return finish(.failure(refusal))
            }
            instance.adapters.whenKnown {
                guard let radio = instance.adapters.radio else {
                    return finish(.failure(instance.adapters.unusable))
                }
                let wanted = Set(services ?? [])
                let known = radio.engine.client.objects.knownPeripherals(of: radio.adapter)
                let connected = known.filter {
                    $0.isConnected && (wanted.isEmpty || !wanted.isDisjoint(with: $0.services))
                }
                finish(.success(connected.map(\.identifier)))
            }
        }
    }

    /// Lists the peripherals that bluetoothd knows on the adapter in use, which may be off.
    ///
    /// Who was connected or paired is kept until somebody forgets it; who was only seen by a scan is
    /// among them for half a minute.
    ///
    /// - Parameters:
    ///   - onlyBonded: Whether to leave out those without kept keys.
    ///   - completion: Called once. Fails with ``BluejayError/bluetoothUnavailable(_:)`` without an
    ///     adapter or bluetoothd.
    public func knownPeripherals(
        onlyBonded: Bool = false,
        completion: @escaping (Result<[KnownPeripheral], BluejayError>) -> Void
    ) {
        begin(.knownPeripherals, completion) { instance, finish in
            let adapters = instance.adapters
            adapters.whenKnown {
                switch adapters.find(nil) {
                case .failure(let error): finish(.failure(error))
                case .success(let path):
                    let known = adapters.engine?.client.objects.knownPeripherals(of: path) ?? []
                    finish(.success(known.filter { $0.isBonded || !onlyBonded }))
                }
            }
        }
    }

    /// Forgets a peripheral on the adapter in use: its keys, its name and its services.
    ///
    /// What this instance is connected to, connects to or is to connect to again is refused: disconnect
    /// first. From everybody else it is taken: a link of another instance or program is cut, which takes
    /// two seconds, and is a lost one to them. It may be found and connected again afterwards; to be
    /// paired again it has to forget its own keys too.
    ///
    /// - Parameters:
    ///   - peripheral: Whom to forget.
    ///   - completion: Called once, when bluetoothd has forgotten. Fails with
    ///     ``BluejayError/inUse(_:)``, ``BluejayError/unexpectedPeripheral(_:)`` (an identifier that is not
    ///     of this library), ``BluejayError/peripheralNotFound(_:)`` (bluetoothd does not know it),
    ///     ``BluejayError/bluetoothUnavailable(_:)`` (also when the adapter is off), or
    ///     ``BluejayError/operationTimedOut`` after 25 s.
    /// - Note: `org.bluez.Adapter1.RemoveDevice`.
    public func forget(
        _ peripheral: PeripheralIdentifier,
        completion: @escaping (Result<Void, BluejayError>) -> Void = { _ in }
    ) {
        begin(.forget, about: peripheral, completion) { instance, finish in
            instance.adapters.whenKnown {
                let isInUse = instance.connection.target == peripheral
                instance.adapters.forget(peripheral, isInUse: isInUse, finish)
            }
        }
    }
}
