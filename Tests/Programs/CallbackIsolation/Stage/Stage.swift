package import BluejayBlueZ
package import BluejayCore
package import BluejayGLib
import BluejaySimulator

/// A part of the life of an owner of callbacks.
package enum Step: Swift.Sendable {
    case begin, round, end
}

/// A simulated BlueZ with a peripheral, a beacon and a central, which cause callbacks.
package final class Stage: Swift.Sendable {
    private static let gadget = "C0:00:00:00:00:01"
    private static let beacon = "C0:00:00:00:00:02"
    private static let phone = "C0:00:00:00:00:03"

    /// The loop of the objects under test.
    package let loop: MainLoop
    package let gadgetIdentifier: PeripheralIdentifier
    /// A peripheral that does not exist.
    package let strangerIdentifier: PeripheralIdentifier
    private let system: SimulatedSystem
    private let psm = LockedValue<UInt16>(0)

    package init(on loop: MainLoop) async throws {
        self.loop = loop
        gadgetIdentifier = try PeripheralIdentifier(
            address: Self.gadget,
            isRandomAddress: true,
            name: "Gadget"
        )
        strangerIdentifier = try PeripheralIdentifier(
            address: "C0:00:00:00:00:0F",
            isRandomAddress: true,
            name: nil
        )
        var options = SimulatorOptions()
        options.timeScale = 0.01
        options.version = .v5_86
        system = try await SimulatedSystem.start(options)
        await system.perform { world in
            world.add(Self.makeGadget())
            // A scan may return it as the device to connect to; the rounds need the gadget.
            let beacon = SimulatedDevice(
                address: Self.beacon,
                name: "Beacon",
                advertising: ["180D"]
            )
            beacon.isConnectable = false
            world.add(beacon)
            let phone = SimulatedCentral(address: Self.phone)
            phone.pairing = .confirmation(123_456, isAgreed: true)
            world.add(phone)
        }
    }

    private static let battery = [ScriptedCharacteristic("2A19", ["read"], .value([99]))]

    private static func makeGadget() -> SimulatedDevice {
        let gadget = SimulatedDevice(address: gadget, name: "Gadget", advertising: ["180D"])
        gadget.pairing = .confirmation(123_456, isAgreed: true)
        gadget.addService(
            "180D",
            [
                ScriptedCharacteristic("2A37", ["notify"], .value([])),
                ScriptedCharacteristic(
                    "2A38",
                    ["read", "writable-auxiliaries"],
                    .value([1]),
                    descriptors: [("2901", [1])]
                ),
                ScriptedCharacteristic(
                    "2A39",
                    ["write", "write-without-response"],
                    .value([0])
                ),
            ]
        )
        gadget.addService("180F", battery)
        gadget.serveChannels(on: 0x80, .echo)
        return gadget
    }

    package func host(_ adapter: String) -> BluetoothHost {
        BluetoothHost(mainLoop: loop, adapter: adapter, busAddress: system.busAddress)
    }

    /// Sets the PSM on which the owner listens.
    package func setPSM(_ psm: UInt16) { self.psm.value = psm }

    /// Sends values to the listeners, and lets the phone visit the server and the mesh node.
    package func causeEvents() async {
        await withCheckedContinuation { continuation in
            Task { [system, psm] in
                await system.perform { world in
                    let gadget = world.device(Self.gadget)
                    for value: UInt8 in 0..<20 { gadget?.send([value], on: "2A37") }
                    gadget?.removeService("180F")
                    gadget?.addService("180F", Self.battery)
                    gadget?.openChannel(to: psm.value, .source([[1], [2], [3]]))
                    guard let phone = world.central(Self.phone) else {
                        return continuation.resume()
                    }
                    phone.play(Self.visit) { _ in continuation.resume() }
                }
            }
        }
    }

    // The read waits for the answer to the write without response. If the phone left before it, bluetoothd would
    // die, and a watch would wait for its return.
    private static let visit: [CentralStep] = [
        .connectTo(adapter: 1, within: .seconds(30)), .pair, .subscribe("2A3D", .indications),
        .write("2A3C", [1]), .write("2A3C", [2], .withoutResponse), .read("2A3C"),
        .write(mesh, [3]), .unsubscribe("2A3D"), .disconnect,
    ]

    /// The characteristic of a mesh node that receives values.
    private static let mesh = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"

    /// Drops the link to the gadget, and takes the server's adapter away for a moment.
    package func causeFaults() async {
        await system.perform { world in
            world.device(Self.gadget)?.dropLink()
            world.setPowered(false, ofAdapter: 1)
            world.setPowered(true, ofAdapter: 1)
        }
    }

    package func restartDaemon() async throws {
        await system.killDaemon()
        try await system.startDaemon()
    }
}
