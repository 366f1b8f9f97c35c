internal import BluejayDBus
internal import OrderedCollections

/// `org.bluejay.SimulatedKernel1`: Linux's part in Bluetooth sockets, for machines without Bluetooth.
///
/// It returns sockets whose other end is simulated. `org.bluejay.SimulatedHost1` has the version of Linux.
/// A real bluetoothd has no such object.
final class SimulatedKernelObject {
    private unowned let blueZ: SimulatedBlueZ
    private var world: SimulatedWorld { blueZ.world }

    init(_ blueZ: SimulatedBlueZ) {
        self.blueZ = blueZ
    }

    /// Exports the version of Linux, and the sockets if `makesChannels`.
    func export(makesChannels: Bool) {
        let host = BusInterface(
            KernelNames.host,
            properties: [
                BusProperty("KernelRelease", "s") { [kernel = world.options.kernel] in
                    .string(kernel.rawValue)
                }
            ]
        )
        world.bus.export(makesChannels ? [channels, host] : [host], at: KernelNames.path)
    }

    private var channels: BusInterface {
        BusInterface(
            KernelNames.channels,
            methods: [
                BusMethod("Connect", inputSignature: "sssqqy", outputSignature: "hq") {
                    [weak self] in
                    self?.connect($0)
                },
                BusMethod("Listen", inputSignature: "sqqy", outputSignature: "q") { [weak self] in
                    self?.listen($0)
                },
                BusMethod("Accept", inputSignature: "sq", outputSignature: "hssq") { [weak self] in
                    self?.accept($0)
                },
                BusMethod("Close", inputSignature: "sq") { [weak self] in self?.close($0) },
            ]
        )
    }

    private func adapter(_ call: MethodInvocation) -> Adapter? {
        blueZ.adapters.first { $0.address.text == call.arguments[0].text }
    }

    private func integer(_ call: MethodInvocation, _ index: Int) -> Int {
        call.arguments[index].integer ?? 0
    }

    // MARK: Connecting

    private func connect(_ call: MethodInvocation) {
        let psm = UInt16(integer(call, 3))
        guard (1...0xFF).contains(psm), integer(call, 4) >= 23,
            let type = AddressType(rawValue: call.arguments[2].text ?? ""),
            let address = RadioAddress(call.arguments[1].text ?? "", type)
        else { return call.fail(ChannelError.invalid.error) }
        guard let adapter = adapter(call), adapter.power.isPowered else {
            return call.fail(ChannelError.unreachable.error)
        }
        // Linux would connect first; clients of this interface have already asked bluetoothd to connect.
        guard let device = adapter.devices[address], let link = device.link, link.isOpen else {
            return call.fail(ChannelError.notConnected.error)
        }
        guard let needed = security(of: psm, over: link, from: adapter) else {
            return call.fail(ChannelError.refused.error)
        }
        secure(device, max(needed, integer(call, 5))) { [weak self] isSecure in
            guard isSecure else { return call.fail(ChannelError.noAccess.error) }
            guard let self, link.isOpen else {
                return call.fail(ChannelError.notConnected.error)
            }
            open(psm, over: link, from: adapter, call)
        }
    }

    /// The security level that the listener at the other end requires; `nil` without a listener.
    private func security(
        of psm: UInt16,
        over link: SimulatedLink,
        from adapter: Adapter
    ) -> Int? {
        let other: any RadioPeer = link.central === adapter ? link.peer : link.central
        if let device = other as? SimulatedDevice {
            return device.deviceChannels.servers[psm].map { $0.isEncrypted ? 2 : 1 }
        }
        return (other as? Adapter)?.channelListeners[psm]?.security
    }

    private func secure(_ device: Device, _ level: Int, _ completion: @escaping (Bool) -> Void) {
        guard !device.object.satisfies(security: level) else { return completion(true) }
        guard world.userAgreesToPairing != nil || world.agents.agent != nil else {
            return completion(false)
        }
        device.encrypt { completion($0 && device.object.satisfies(security: level)) }
    }

    private func open(
        _ psm: UInt16,
        over link: SimulatedLink,
        from adapter: Adapter,
        _ call: MethodInvocation
    ) {
        guard let (own, descriptor) = SocketChannelEndpoint.pair(on: world.bus.context) else {
            return call.fail(ChannelError.refused.error)
        }
        let mtu = integer(call, 4)
        let other: any RadioPeer = link.central === adapter ? link.peer : link.central
        if let device = other as? SimulatedDevice, let server = device.deviceChannels.servers[psm] {
            let channel = SimulatedChannel(
                own,
                mtu: mtu,
                device.makeChannelEndpoint(psm, server.script),
                mtu: server.mtu
            )
            call.reply([.fileDescriptor(descriptor), .uint16(UInt16(server.mtu))])
            return channel.open(over: link)
        }
        guard let listener = (other as? Adapter)?.channelListeners[psm],
            listener.enqueue(own, mtu: mtu, over: link)
        else { return call.fail(ChannelError.refused.error) }
        call.reply([.fileDescriptor(descriptor), .uint16(UInt16(listener.receiveMTU))])
    }

    // MARK: Listening

    private func listen(_ call: MethodInvocation) {
        guard let adapter = adapter(call), adapter.power.isPowered else {
            return call.fail(ChannelError.unreachable.error)
        }
        let requested = UInt16(integer(call, 1))
        let mtu = integer(call, 2)
        guard requested <= 0xFF, mtu >= 23 else { return call.fail(ChannelError.invalid.error) }
        guard requested == 0 || requested >= 0x80 || world.options.permitsReservedPSM else {
            return call.fail(ChannelError.noAccess.error)
        }
        // Linux reports an invalid argument when all numbers are taken.
        guard let psm = requested == 0 ? adapter.channelListeners.free : requested else {
            return call.fail(ChannelError.invalid.error)
        }
        guard adapter.channelListeners[psm] == nil else {
            return call.fail(ChannelError.inUse.error)
        }
        adapter.channelListeners[psm] = ProgramListener(
            call.sender,
            at: adapter,
            in: world,
            psm: psm,
            mtu: mtu,
            security: integer(call, 3)
        )
        call.reply([.uint16(psm)])
    }

    private func listener(_ call: MethodInvocation) -> ProgramListener? {
        let listener = adapter(call)?.channelListeners[UInt16(integer(call, 1))]
        return listener?.client == call.sender ? listener : nil
    }

    private func accept(_ call: MethodInvocation) {
        guard let waiting = listener(call)?.accept() else {
            return call.fail(ChannelError.notConnected.error)
        }
        call.reply([
            .fileDescriptor(waiting.descriptor), .string(waiting.address.text),
            .string(waiting.address.type.rawValue), .uint16(UInt16(waiting.mtu)),
        ])
    }

    private func close(_ call: MethodInvocation) {
        guard listener(call) != nil else { return call.fail(ChannelError.invalid.error) }
        adapter(call)?.channelListeners[UInt16(integer(call, 1))] = nil
        call.reply()
    }
}

/// Errors of the simulated kernel, with Linux's `errno` numbers.
enum ChannelError: Int32, Error {
    case noAccess = 13
    case invalid = 22
    case inUse = 98
    case notConnected = 107
    case refused = 111
    case unreachable = 113

    var error: BusError {
        BusError(name: "org.bluejay.Error.Kernel", message: "\(rawValue)")
    }
}
