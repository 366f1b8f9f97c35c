internal import BluejayBlueZ
internal import BluejayDBus

/// The peripherals that bluetoothd knows on the adapter in use, for all programs.
///
/// These calls bypass the queue, need no radio, and wait for bluetoothd's first reply. Each completion is
/// called once, on a later iteration of the main loop.
extension Bluejay {
    /// Lists the peripherals connected to the adapter in use.
    ///
    /// The list includes connections of this and other instances, other programs and bluetoothd itself, and
    /// devices that use Bluetooth Classic, such as headsets and keyboards. To use one, connect to it; this is
    /// quick, because the link exists.
    ///
    /// - Parameters:
    ///   - services: Lists peripherals with at least one of these services; `nil` or empty lists all. A
    ///     peripheral that has just connected is matched by its advertised services.
    ///   - completion: Called once. Fails with ``BluejayError/bluetoothUnavailable(_:)`` or
    ///     ``BluejayError/malformedUUID(_:)``.
    public func connectedPeripherals(
        withServices services: [ServiceIdentifier]? = nil,
        completion: @escaping @isolated(any) (Result<[PeripheralIdentifier], BluejayError>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        startRequest(.connectedPeripherals, completion) { instance, finish in
            if let rejection = instance.gate.rejection(services ?? []) {
                return finish(.failure(rejection))
            }
            instance.adapters.whenKnown {
                guard let radio = instance.adapters.radio else {
                    return finish(.failure(instance.adapters.unavailableError))
                }
                let requestedServices = Set(services ?? [])
                let known = radio.engine.client.objects.knownPeripherals(of: radio.adapter)
                let connected = known.filter {
                    $0.isConnected
                        && (requestedServices.isEmpty
                            || !requestedServices.isDisjoint(with: $0.services))
                }
                finish(.success(connected.map(\.identifier)))
            }
        }
    }

    /// Lists the peripherals that bluetoothd knows on the adapter in use, which may be off.
    ///
    /// bluetoothd keeps peripherals that were connected or paired until a program removes them. Peripherals
    /// that were only seen by a scan are listed for half a minute.
    ///
    /// - Parameters:
    ///   - onlyBonded: Whether to omit peripherals without stored keys.
    ///   - completion: Called once. Fails with ``BluejayError/bluetoothUnavailable(_:)`` without an adapter
    ///     or bluetoothd.
    public func knownPeripherals(
        onlyBonded: Bool = false,
        completion: @escaping @isolated(any) (Result<[KnownPeripheral], BluejayError>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        startRequest(.knownPeripherals, completion) { instance, finish in
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

    /// Removes a peripheral from the adapter in use, with its keys, its name and its services.
    ///
    /// The call is rejected for the peripheral that this instance is connected to, connecting to or
    /// reconnecting to; disconnect first. A link of another instance or program is dropped, which takes two
    /// seconds, and appears there as a lost link. The peripheral can be found and connected again afterwards.
    /// To pair again, the peripheral must remove its own keys, too.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral to remove.
    ///   - completion: Called once, when bluetoothd has removed the peripheral. Fails with
    ///     ``BluejayError/inUse(_:)``, ``BluejayError/unexpectedPeripheral(_:)`` (an identifier from another
    ///     library), ``BluejayError/peripheralNotFound(_:)`` (unknown to bluetoothd),
    ///     ``BluejayError/bluetoothUnavailable(_:)`` (also if the adapter is off), or
    ///     ``BluejayError/operationTimedOut`` after 25 s.
    /// - Note: `org.bluez.Adapter1.RemoveDevice`.
    public func forget(
        _ peripheral: PeripheralIdentifier,
        completion: @escaping @isolated(any) (Result<Void, BluejayError>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        startRequest(.forget, about: peripheral, completion) { instance, finish in
            instance.adapters.whenKnown {
                let isInUse = instance.connection.target == peripheral
                instance.adapters.forget(peripheral, isInUse: isInUse, finish)
            }
        }
    }
}
