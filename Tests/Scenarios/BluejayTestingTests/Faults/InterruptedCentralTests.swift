import Bluejay
import BluejayAsync
import BluejayL2CAP
import BluejaySimulator
import BluejayTesting
import Foundation
import TestTraits
import Testing

@Suite("A central that a fault interrupts", .timeLimit(.minutes(15)))
struct InterruptedCentralTests {
    @Test(
        "A scan fails if Bluetooth becomes unavailable, and can start again with Bluetooth",
        .fault(
            .outOfRange,
            .bluetoothOff,
            .unplugged,
            .daemonKilled,
            .daemonHangs,
            .busLost,
            during: .scan
        ),
        arguments: [
            Expected(.outOfRange, .nothing, works: 1),
            Expected(.bluetoothOff, .error(.bluetoothUnavailable), works: 2),
            Expected(.unplugged, .error(.bluetoothUnavailable), works: 2),
            Expected(.daemonKilled, .error(.bluetoothUnavailable), works: 2),
            Expected(.daemonHangs, .nothing, works: 1),
            Expected(.busLost, .error(.bluetoothUnavailable), works: 3),
        ] as [Expected]
    )
    func scan(expected: Expected) async throws {
        let scan = Activity(
            prepare: { try await $0.start() },
            run: { stage in
                for try await _ in stage.bluejay.scan(
                    allowDuplicates: true,
                    serviceIdentifiers: [.gadget]
                ) {}
            },
            works: { stage in
                for try await _ in stage.bluejay.scan(
                    matching: .anyService([.gadget]),
                    duration: 5,
                    besideQueue: true
                ) { return }
                throw Unhelpful(text: "nothing was found")
            }
        )
        try await scan.check(expected)
    }

    @Test(
        "A connect fails if Bluetooth becomes unavailable, and otherwise lasts until its timeout",
        .fault(
            .outOfRange,
            .bluetoothOff,
            .unplugged,
            .daemonKilled,
            .busLost,
            .daemonHangs,
            during: .connect
        ),
        arguments: [
            Expected(.outOfRange, .error(.connectionTimedOut), in: 60, works: 1),
            Expected(.bluetoothOff, .error(.bluetoothUnavailable), works: 3),
            Expected(.unplugged, .error(.bluetoothUnavailable), works: 3),
            Expected(.daemonKilled, .error(.bluetoothUnavailable), works: 3),
            Expected(.busLost, .error(.bluetoothUnavailable), works: 3),
            Expected(.daemonHangs, .error(.connectionTimedOut), in: 61, works: 1),
        ] as [Expected]
    )
    func connect(expected: Expected) async throws {
        let connect = Activity(
            prepare: { stage in
                _ = try await stage.find()
                try stage.gadget { $0.leaveRange() }
            },
            run: { try await $0.bluejay.connect($0.identifier, timeout: .seconds(60)) },
            release: { try $0.gadget { $0.returnToRange() } },
            works: { try await $0.bluejay.connect($0.identifier, timeout: .seconds(60)) }
        )
        try await connect.check(expected)
    }

    @Test(
        "A connect that discovers services fails for each fault, and then succeeds",
        .fault(
            .linkLost,
            .outOfRange,
            .silent,
            .bluetoothOff,
            .unplugged,
            .daemonKilled,
            .busLost,
            .daemonHangs,
            .otherDisconnects,
            during: .discovery
        ),
        arguments: [
            Expected(.linkLost, .error(.unexpectedDisconnect), in: 35, works: 1),
            Expected(.outOfRange, .error(.connectionTimedOut), in: 60, works: 1),
            Expected(.silent, .error(.unexpectedDisconnect), in: 32, works: 1),
            Expected(.bluetoothOff, .error(.bluetoothUnavailable), works: 3),
            Expected(.unplugged, .error(.bluetoothUnavailable), works: 3),
            Expected(.daemonKilled, .error(.bluetoothUnavailable), works: 3),
            Expected(.busLost, .error(.bluetoothUnavailable), works: 3),
            Expected(.daemonHangs, .error(.connectionTimedOut), in: 60, works: 6),
            Expected(.otherDisconnects, .error(.unexpectedDisconnect), in: 37, works: 1),
        ] as [Expected]
    )
    func discovery(expected: Expected) async throws {
        let discovery = Activity(
            prepare: { stage in
                _ = try await stage.find()
                try stage.gadget { $0.answersDiscovery = false }
            },
            run: { try await $0.bluejay.connect($0.identifier, timeout: .seconds(60)) },
            release: { try $0.gadget { $0.answersDiscovery = true } },
            works: { try await $0.bluejay.connect($0.identifier, timeout: .seconds(60)) }
        )
        try await discovery.check(expected)
    }

    @Test(
        "A read fails once for each fault, and reads work again after the fault",
        .fault(
            .linkLost,
            .outOfRange,
            .silent,
            .servicesChange,
            .bluetoothOff,
            .unplugged,
            .daemonKilled,
            .daemonHangs,
            .busLost,
            .otherDisconnects,
            during: .read
        ),
        arguments: [
            Expected(.linkLost, .error(.notConnected), works: 2),
            Expected(.outOfRange, .error(.notConnected), works: 3),
            Expected(.silent, .error(.attribute), in: 30, works: 3),
            Expected(.servicesChange, .error(.attribute), works: 30),
            Expected(.bluetoothOff, .error(.bluetoothUnavailable), works: 3),
            Expected(.unplugged, .error(.notConnected), works: 3),
            Expected(.daemonKilled, .error(.bluetoothUnavailable), works: 3),
            Expected(.daemonHangs, .error(.operationTimedOut), in: 40, works: 24),
            Expected(.busLost, .error(.bluetoothUnavailable), works: 4),
            Expected(.otherDisconnects, .error(.notConnected), in: 3, works: 2),
        ] as [Expected]
    )
    func read(expected: Expected) async throws {
        let read = Activity(
            prepare: { stage in
                try await stage.connect()
                try stage.gadget { $0.hold(.read, of: "FFE1") }
            },
            run: { try await $0.read() },
            release: { try $0.gadget { $0.release(.read, of: "FFE1") } },
            works: { try await $0.read("FFE3") }
        )
        try await read.check(expected)
    }

    @Test(
        "A write fails once for each fault, and writes work again after the fault",
        .fault(
            .linkLost,
            .outOfRange,
            .silent,
            .servicesChange,
            .bluetoothOff,
            .unplugged,
            .daemonKilled,
            .daemonHangs,
            .busLost,
            .otherDisconnects,
            during: .write
        ),
        arguments: [
            Expected(.linkLost, .error(.notConnected), works: 2),
            Expected(.outOfRange, .error(.notConnected), works: 3),
            Expected(.silent, .error(.attribute), in: 30, works: 3),
            Expected(.servicesChange, .error(.missingCharacteristic), works: 30),
            Expected(.bluetoothOff, .error(.bluetoothUnavailable), works: 3),
            Expected(.unplugged, .error(.notConnected), works: 3),
            Expected(.daemonKilled, .error(.bluetoothUnavailable), works: 3),
            Expected(.daemonHangs, .error(.operationTimedOut), in: 40, works: 24),
            Expected(.busLost, .error(.bluetoothUnavailable), works: 4),
            Expected(.otherDisconnects, .error(.notConnected), in: 3, works: 2),
        ] as [Expected]
    )
    func write(expected: Expected) async throws {
        let write = Activity(
            prepare: { stage in
                try await stage.connect()
                try stage.gadget { $0.hold(.write, of: "FFE1") }
            },
            run: { try await $0.write([1]) },
            release: { try $0.gadget { $0.release(.write, of: "FFE1") } },
            works: { try await $0.write([1]) }
        )
        try await write.check(expected)
    }

    @Test(
        "A stream of values throws if its link ends, and another one works after the fault",
        .fault(
            .linkLost,
            .outOfRange,
            .silent,
            .servicesChange,
            .bluetoothOff,
            .unplugged,
            .daemonKilled,
            .daemonHangs,
            .busLost,
            .otherDisconnects,
            during: .listen
        ),
        arguments: [
            Expected(.linkLost, .error(.linkLost), works: 3),
            Expected(.outOfRange, .error(.linkLost), works: 4),
            Expected(.silent, .nothing, works: 2),
            Expected(.servicesChange, .error(.missingService), works: 3),
            Expected(.bluetoothOff, .error(.bluetoothUnavailable), works: 4),
            Expected(.unplugged, .error(.linkLost), works: 4),
            Expected(.daemonKilled, .error(.bluetoothUnavailable), works: 4),
            Expected(.daemonHangs, .nothing, works: 2),
            Expected(.busLost, .error(.bluetoothUnavailable), works: 5),
            Expected(.otherDisconnects, .error(.linkLost), in: 3, works: 3),
        ] as [Expected]
    )
    func listen(expected: Expected) async throws {
        try await Self.listen(isKept: false).check(expected)
    }

    @Test(
        "A kept listen continues after each fault",
        .fault(
            .linkLost,
            .outOfRange,
            .silent,
            .servicesChange,
            .bluetoothOff,
            .unplugged,
            .daemonKilled,
            .daemonHangs,
            .busLost,
            .otherDisconnects,
            during: .listen
        ),
        arguments: [
            Expected(.linkLost, .nothing, works: 4),
            Expected(.outOfRange, .nothing, works: 4),
            Expected(.silent, .nothing, works: 4),
            Expected(.servicesChange, .nothing, works: 4),
            Expected(.bluetoothOff, .nothing, works: 4),
            Expected(.unplugged, .nothing, works: 4),
            Expected(.daemonKilled, .nothing, works: 4),
            Expected(.daemonHangs, .nothing, works: 4),
            Expected(.busLost, .nothing, works: 5),
            Expected(.otherDisconnects, .nothing, works: 4),
        ] as [Expected]
    )
    func keptListen(expected: Expected) async throws {
        try await Self.listen(isKept: true).check(expected)
    }

    private static func listen(isKept: Bool) -> Activity {
        Activity(
            prepare: { stage in
                try stage.gadget { $0.setBehavior(.sends([[1]], everySeconds: 1), of: "FFE1") }
                try await stage.connect()
            },
            run: { stage in
                for try await _ in stage.bluejay.values(
                    of: .gadget("FFE1"),
                    multipleListenOption: .replaceable,
                    isKept: isKept
                ) { stage.count += 1 }
            },
            release: { $0.count = 0 },
            works: { stage in
                guard isKept else {
                    for try await _ in stage.bluejay.values(of: .gadget("FFE1")) { return }
                    return
                }
                guard stage.count > 0 else { throw Unhelpful(text: "no value") }
            }
        )
    }

    @Test(
        "A background task receives the error of each fault, and another task works after the fault",
        .fault(
            .linkLost,
            .outOfRange,
            .silent,
            .servicesChange,
            .bluetoothOff,
            .unplugged,
            .daemonKilled,
            .daemonHangs,
            .busLost,
            .otherDisconnects,
            during: .backgroundTask
        ),
        arguments: [
            Expected(.linkLost, .error(.notConnected), works: 10),
            Expected(.outOfRange, .error(.notConnected), in: 2, works: 10),
            Expected(.silent, .error(.attribute), in: 32, works: 15),
            Expected(.servicesChange, .error(.attribute), works: 40),
            Expected(.bluetoothOff, .error(.bluetoothUnavailable), works: 10),
            Expected(
                .unplugged,
                .error(.notConnected),
                or: .error(.bluetoothUnavailable),
                works: 10
            ),
            Expected(.daemonKilled, .error(.bluetoothUnavailable), works: 10),
            Expected(.daemonHangs, .error(.operationTimedOut), in: 42, works: 26),
            Expected(.busLost, .error(.bluetoothUnavailable), works: 10),
            Expected(.otherDisconnects, .error(.notConnected), in: 4, works: 10),
        ] as [Expected]
    )
    func backgroundTask(expected: Expected) async throws {
        let task = Activity(
            prepare: { stage in
                try await stage.connect()
                try stage.gadget { $0.hold(.read, of: "FFE1") }
            },
            run: { stage in
                try await stage.bluejay.run { peripheral in
                    _ = try peripheral.read(from: .gadget("FFE1"), as: UInt8.self)
                }
            },
            isRunning: { stage in
                try stage.world.perform { blueZ in
                    blueZ.device(SimulatedDevice.gadgetAddress)?.heldCount(.read, of: "FFE1") == 1
                }
            },
            release: { try $0.gadget { $0.release(.read, of: "FFE1") } },
            works: { stage in
                try await stage.bluejay.run { peripheral in
                    _ = try peripheral.read(from: .gadget("FFE3"), as: Data.self)
                }
            }
        )
        try await task.check(expected)
    }

    @Test(
        "A pairing fails once for each fault, and another one succeeds after the fault",
        .fault(
            .linkLost,
            .outOfRange,
            .bluetoothOff,
            .unplugged,
            .daemonKilled,
            .busLost,
            .daemonHangs,
            .otherDisconnects,
            during: .pairing
        ),
        arguments: [
            Expected(.linkLost, .error(.notConnected), works: 3),
            Expected(.outOfRange, .error(.notConnected), works: 3),
            Expected(.bluetoothOff, .error(.bluetoothUnavailable), works: 4),
            Expected(.unplugged, .error(.bluetoothUnavailable), works: 4),
            Expected(.daemonKilled, .error(.bluetoothUnavailable), works: 4),
            Expected(.busLost, .error(.bluetoothUnavailable), works: 4),
            Expected(.daemonHangs, .error(.pairingRejected), in: 25, works: 40),
            Expected(.otherDisconnects, .error(.notConnected), in: 3, works: 3),
        ] as [Expected]
    )
    func pairing(expected: Expected) async throws {
        let pairing = Activity(
            prepare: { stage in
                try stage.gadget { $0.pairing = .passkey(123_456) }
                await stage.setPairingHandler { stage.others.append($0) }
                try await stage.connect()
            },
            run: { try await $0.bluejay.pair(timeout: .seconds(60)) },
            works: { stage in
                await stage.setPairingHandler { $0.accept(passkey: 123_456) }
                try await stage.bluejay.pair(timeout: .seconds(10))
            }
        )
        try await pairing.check(expected)
    }

    @Test(
        "A delayed reconnection succeeds after each fault",
        .fault(
            .bluetoothOff,
            .unplugged,
            .daemonKilled,
            .daemonHangs,
            .busLost,
            .outOfRange,
            during: .reconnectPause
        ),
        arguments: [
            Expected(.bluetoothOff, .nothing, works: 3),
            Expected(.unplugged, .nothing, works: 3),
            Expected(.daemonKilled, .nothing, works: 3),
            Expected(.daemonHangs, .nothing, works: 60),
            Expected(.busLost, .nothing, works: 4),
            Expected(.outOfRange, .nothing, works: 60),
        ] as [Expected]
    )
    func reconnectPause(expected: Expected) async throws {
        let pause = Activity(
            prepare: { stage in
                try await stage.connect()
                try stage.gadget { $0.leaveRange() }
                try await stage.sleep(60)
            },
            run: { try await $0.sleep(3600) },
            release: { try $0.gadget { $0.returnToRange() } },
            works: { try await $0.read("FFE3") }
        )
        try await pause.check(expected)
    }

    @Test(
        "A channel ends with its link or with Bluetooth, and another one works after the fault",
        .fault(
            .linkLost,
            .outOfRange,
            .silent,
            .bluetoothOff,
            .unplugged,
            .daemonKilled,
            .daemonHangs,
            .busLost,
            .otherDisconnects,
            during: .channel
        ),
        arguments: [
            Expected(.linkLost, .end("linkLost"), works: 2),
            Expected(.outOfRange, .end("linkLost"), works: 2),
            Expected(.silent, .nothing, works: 2),
            Expected(.bluetoothOff, .end("bluetoothUnavailable"), works: 3),
            Expected(.unplugged, .end("linkLost"), works: 3),
            Expected(.daemonKilled, .end("bluetoothUnavailable"), works: 3),
            Expected(.daemonHangs, .nothing, works: 2),
            Expected(.busLost, .end("bluetoothUnavailable"), works: 3),
            Expected(.otherDisconnects, .end("linkLost"), in: 3, works: 2),
        ] as [Expected]
    )
    func channel(expected: Expected) async throws {
        let channel = Activity(
            prepare: { stage in
                try stage.gadget { $0.serveChannels(on: 0x80, .echo) }
                try await stage.connect()
            },
            run: { stage in
                let channel = try await stage.openChannel(to: 0x80)
                for await _ in channel.received {}
                throw Unhelpful(text: Self.text(channel.closeReason))
            },
            works: { stage in
                let channel = try await stage.openChannel(to: 0x80)
                try await channel.send(Data([1]))
                for await _ in channel.received { return }
                throw Unhelpful(text: "no packet")
            }
        )
        try await channel.check(expected)
    }

    private static func text(_ reason: L2CAPCloseReason?) -> String {
        switch reason {
        case .linkLost: "linkLost"
        case .bluetoothUnavailable: "bluetoothUnavailable"
        case .closed, .closedByPeer, .failed, nil: "\(String(describing: reason))"
        }
    }
}
