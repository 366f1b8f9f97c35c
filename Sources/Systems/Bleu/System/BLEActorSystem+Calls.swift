internal import BluejayGLib
public import Distributed
public import FoundationEssentials

// The requirements of `DistributedActorSystem`, which the compiler calls.

extension BLEActorSystem {
    /// Returns the actor with this identifier if it lives in this system.
    ///
    /// - Parameters:
    ///   - id: The identifier of the actor.
    ///   - actorType: The type of the actor.
    /// - Returns: `nil` for a peripheral of another machine.
    /// - Throws: ``BleuError/invalidData`` if the actor has another type.
    public func resolve<Act>(id: UUID, as actorType: Act.Type) throws -> Act?
    where Act: DistributedActor, Act.ID == UUID {
        guard let known = actors.actor(id) else { return nil }
        guard let actor = known as? Act else { throw BleuError.invalidData }
        return actor
    }

    /// Returns a random identifier for an actor of this process.
    public func assignID<Act>(_ actorType: Act.Type) -> UUID
    where Act: DistributedActor, Act.ID == UUID {
        UUID()
    }

    /// Adds an actor of this process.
    public func actorReady<Act>(_ actor: Act) where Act: DistributedActor, Act.ID == UUID {
        actors.add(actor, actor.id)
    }

    /// Removes an actor of this process.
    public func resignID(_ id: UUID) {
        actors.remove(id)
        host.mainLoop.post { [peripheral] in peripheral.assumeIsolated { $0.released(id) } }
    }

    /// Creates an encoder without arguments.
    public func makeInvocationEncoder() -> BLEInvocationEncoder { BLEInvocationEncoder() }

    /// Calls a distributed method that returns a value.
    ///
    /// - Parameters:
    ///   - actor: The proxy of a peripheral.
    ///   - target: The method.
    ///   - invocation: The arguments.
    ///   - throwing: The type of errors.
    ///   - returning: The type of the result.
    /// - Returns: The result.
    /// - Throws: The error of the method, ``BleuError`` or `CancellationError`.
    public func remoteCall<Act, Err, Res>(
        on actor: Act,
        target: RemoteCallTarget,
        invocation: inout BLEInvocationEncoder,
        throwing: Err.Type,
        returning: Res.Type
    ) async throws -> Res
    where Act: DistributedActor, Act.ID == UUID, Err: Error, Res: Codable {
        let stream = Res.self as? any ElementStream.Type
        let isPlain = invocation.arguments.isEmpty
        let form: OutgoingCall.Form = isPlain && stream == nil ? .read : .withReply
        let isSubscribable = isPlain && stream != nil
        let call = try call(on: Act.self, target, invocation, form, isSubscribable: isSubscribable)
        switch try await send(call, to: actor.id, WeakActor(actor)) {
        case .value(let json) where stream == nil:
            do {
                return try JSONValue.decode(Res.self, from: json)
            } catch {
                throw BleuError.invalidData
            }
        case .stream(let channel):
            guard let result = stream?.receiving(channel) as? Res else {
                throw BleuError.invalidData
            }
            return result
        case .failure(let error): throw error.error(configuration.errorTypes)
        case .value, .nothing: throw BleuError.invalidData
        }
    }

    /// Calls a distributed method without a result.
    ///
    /// A method that does not throw requests no reply: the call returns when it has been sent.
    ///
    /// - Parameters:
    ///   - actor: The proxy of a peripheral.
    ///   - target: The method.
    ///   - invocation: The arguments.
    ///   - throwing: The type of errors.
    /// - Throws: The error of the method, ``BleuError`` or `CancellationError`.
    public func remoteCallVoid<Act, Err>(
        on actor: Act,
        target: RemoteCallTarget,
        invocation: inout BLEInvocationEncoder,
        throwing: Err.Type
    ) async throws where Act: DistributedActor, Act.ID == UUID, Err: Error {
        let isOneWay = Err.self == Never.self
        let call = try call(on: Act.self, target, invocation, isOneWay ? .oneWay : .withReply)
        switch try await send(call, to: actor.id, WeakActor(actor)) {
        case .nothing: return
        case .failure(let error): throw error.error(configuration.errorTypes)
        case .value, .stream: throw BleuError.invalidData
        }
    }

    private func call<Act: DistributedActor>(
        on type: Act.Type,
        _ target: RemoteCallTarget,
        _ invocation: BLEInvocationEncoder,
        _ form: OutgoingCall.Form,
        isSubscribable: Bool = false
    ) throws -> OutgoingCall {
        let name = "\(type)"
        let service = ServiceMapper.serviceUUID(named: name)
        guard !invocation.isGeneric else { throw BleuError.characteristicNotFound(service) }
        let method = ServiceMapper.method(of: target)
        let characteristic = ServiceMapper.characteristicUUID(for: method, named: name)
        let isRegistered = registrations.value[String(reflecting: type)] != nil
        return OutgoingCall(
            service: service,
            characteristic: characteristic,
            form: isRegistered && form == .read ? .withReply : form,
            arguments: invocation.body,
            target: isRegistered ? target.identifier : nil,
            isSubscribable: isSubscribable
        )
    }

    func send(_ call: OutgoingCall, to id: UUID, _ proxy: WeakActor) async throws -> CallReply {
        let key = UUID()
        return try await awaited(host.mainLoop) { [central] completion in
            let completion = UncheckedTransfer(completion)
            central.assumeIsolated {
                $0.start(call, key, to: id, proxy: proxy, completion.value)
            }
        } cancel: { [central] in
            central.assumeIsolated { $0.cancel(key, to: id) }
        }
    }
}
