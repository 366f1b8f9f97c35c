import Bluejay
import BluejayL2CAP
import BluejaySimulator
import BluejayTesting
import Foundation

/// The errors of channels.
extension Rehearsal {
    static let invalidPSM = Rehearsal(
        "valid values are 1 to 255, and 128 to 255 for listeners without privileges"
    ) { stage in
        try await stage.openChannel(to: 0)
    } remedy: { stage in
        for psm: UInt16 in [1, 255] {
            try stage.gadget { $0.serveChannels(on: psm, .echo) }
            try await stage.openChannel(to: psm)
        }
        for psm: UInt16 in [128, 255] { _ = try await stage.listener(on: psm).start() }
    }

    static let invalidListenerPSM = Rehearsal(
        "valid values are 1 to 255, and 128 to 255 for listeners without privileges"
    ) { stage in
        _ = try await stage.listener(on: 256).start()
    } remedy: { stage in
        for psm: UInt16 in [128, 255] { _ = try await stage.listener(on: psm).start() }
    }

    static let channelRefused = Rehearsal("ask the peer for its PSM") { stage in
        try await stage.openChannel(to: 0x80)
    } remedy: { stage in
        // The peer publishes its number in a characteristic.
        try stage.gadget {
            $0.serveChannels(on: 0x85, .echo)
            $0.setBehavior(.value([0x85]), of: "FFE1")
        }
        try await stage.connect()
        let psm = try await stage.read()[0]
        try await stage.openChannel(to: UInt16(psm))
    }

    static let psmInUse = Rehearsal("use another one, or 0") { stage in
        for _ in 0..<2 { _ = try await stage.listener(on: 0x80).start() }
    } remedy: { stage in
        for psm: UInt16 in [0x81, 0] { _ = try await stage.listener(on: psm).start() }
    }

    static let psmNotPermitted = Rehearsal(
        "requires CAP_NET_BIND_SERVICE; use 128 to 255, or 0"
    ) { stage in
        _ = try await stage.listener(on: 0x25).start()
    } remedy: { stage in
        for psm: UInt16 in [128, 255, 0] { _ = try await stage.listener(on: psm).start() }
    }

    static let channelClosed = Rehearsal("open another one") { stage in
        try stage.gadget { $0.serveChannels(on: 0x80, .echo) }
        let channel = try await stage.openChannel(to: 0x80)
        await channel.close()
        try await channel.send(Data([1]))
    } remedy: { stage in
        let channel = try await stage.openChannel(to: 0x80)
        try await channel.send(Data([1]))
    }

    static let channelReopened = Rehearsal("create another one") { stage in
        try stage.gadget { $0.serveChannels(on: 0x80, .echo) }
        try await stage.openChannel(to: 0x80).open()
    } remedy: { stage in
        try await stage.openChannel(to: 0x80)
    }

    static let listenerRestarted = Rehearsal("create another one") { stage in
        let listener = stage.listener(on: 0)
        _ = try await listener.start()
        _ = try await listener.start()
    } remedy: { stage in
        _ = try await stage.listener(on: 0).start()
    }

    static let channelFull = Rehearsal("wait for the completion of an earlier send") { stage in
        try stage.gadget { $0.serveChannels(on: 0x80, .sink) }
        let channel = try await stage.openChannel(to: 0x80)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2_000 {
                group.addTask { try await channel.send(Data(repeating: 1, count: 2_048)) }
            }
            try await group.waitForAll()
        }
    } remedy: { stage in
        let channel = try await stage.openChannel(to: 0x80)
        for _ in 0..<2_000 { try await channel.send(Data(repeating: 1, count: 2_048)) }
    }

    static let systemError = Rehearsal("the command `errno 12` prints its name") { stage in
        try stage.apply(
            .callsRefused("Listen", name: "org.bluejay.Error.Kernel", text: "12")
        )
        _ = try await stage.listener(on: 0).start()
    } remedy: { stage in
        // The name, ENOMEM, leads to the cause, which ends.
        try stage.accept("Listen")
        _ = try await stage.listener(on: 0).start()
    }
}

extension RehearsalStage {
    private var host: BluetoothHost { BluetoothHost(mainLoop: world.mainLoop) }

    @discardableResult
    func openChannel(to psm: UInt16) async throws -> L2CAPChannel {
        let channel = try L2CAPChannel(to: identifier, psm: psm, host: host)
        others.append(channel)
        try await channel.open(timeout: .seconds(20))
        return channel
    }

    func listener(on psm: UInt16) -> L2CAPListener {
        let listener = L2CAPListener(psm: psm, host: host)
        others.append(listener)
        return listener
    }
}
