internal import BluejayGLib
internal import Distributed
internal import FoundationEssentials

extension LocalActor {
    init<T: PeripheralActor>(_ peripheral: T, _ description: PeripheralDescription) {
        let reference = WeakActor(peripheral)
        self.init(description: description, id: peripheral.id, retained: peripheral) {
            guard let peripheral = reference.actor as? T else {
                return .actorReleased
            }
            return await peripheral.actorSystem.run($0, $1, on: peripheral, description)
        }
    }
}

extension BLEActorSystem {
    /// Runs a method of an actor of this process.
    fileprivate func run<T: PeripheralActor>(
        _ target: String,
        _ arguments: Data,
        on peripheral: T,
        _ description: PeripheralDescription
    ) async -> MethodResult {
        let known = description.method(target: target)
        let isMethod =
            known != nil
            || description.methods.contains {
                $0.target == nil && ServiceMapper.isTarget(target, method: $0.name, of: T.self)
            }
        guard isMethod,
            var decoder = try? BLEInvocationDecoder(arguments, count: known?.parameterCount)
        else { return .invalidArguments }
        let result = LockedValue(MethodResult.nothing)
        do {
            try await executeDistributedTarget(
                on: peripheral,
                target: RemoteCallTarget(target),
                invocationDecoder: &decoder,
                handler: BLEResultHandler { result.value = $0 }
            )
        } catch {
            return .failure(ThrownError(error))
        }
        return result.value
    }
}
