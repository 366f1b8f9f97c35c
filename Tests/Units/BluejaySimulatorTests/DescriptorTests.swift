import BluejayDBus
import BluejaySimulator
import TestTraits
import Testing

/// Tests `ScriptedCharacteristicServer`.
@Suite("Descriptors, included services and the MTU", .timeLimit(.minutes(15)))
struct DescriptorTests {
    private static let gadget = "F0:F1:F2:F3:F4:F5"

    /// Returns a stage whose peripheral has one more service, at handle 0x0100.
    private func stage(_ kind: SimulatedBlueZVersion = .v5_66) async throws -> SimulatorStage {
        let stage = try await SimulatorStage(kind)
        await stage.system.perform { world in
            world.device(Self.gadget)?.addService(
                "FF00",
                [
                    ScriptedCharacteristic(
                        "FF01",
                        ["read", "writable-auxiliaries"],
                        .value([1]),
                        descriptors: [("2901", [0x41]), ("2904", [4, 0, 0, 0x27, 1, 0, 0])]
                    )
                ],
                at: 0x0100,
                isPrimary: false
            )
            world.device(Self.gadget)?.addService("FF02", [], at: 0x0200, including: ["FF00"])
        }
        await stage.connect()
        return stage
    }

    private func call(
        _ stage: SimulatorStage,
        _ handle: String,
        _ member: String,
        _ value: [UInt8]? = nil
    ) async -> CallResult {
        await stage.client.call(
            "\(SimulatorStage.device)/service0100/char0101/desc\(handle)",
            "GattDescriptor1",
            member,
            (value.map { [.bytes($0)] } ?? []) + [.properties([])]
        )
    }

    @Test("A user description is writable if its flags allow it; other descriptors are not")
    func write() async throws {
        let stage = try await stage()
        #expect(await call(stage, "0104", "WriteValue", [0x42, 0x43]).outcome == "ok")
        let read = await call(stage, "0104", "ReadValue")
        #expect((try? read.get())?.first?.bytes == [0x42, 0x43])
        for handle in ["0103", "0105"] {
            #expect(
                await call(stage, handle, "WriteValue", [1]).outcome
                    == "org.bluez.Error.NotPermitted \"Write not permitted\""
            )
        }
    }

    @Test("bluetoothd reads the PnP ID itself, and reports it once as Modalias")
    func plugAndPlay() async throws {
        let stage = try await SimulatorStage()
        await stage.system.perform { world in
            let value: [UInt8] = [1, 0x6B, 0x1D, 0x46, 0x02, 0x13, 0x02]
            world.device(Self.gadget)?.addService(
                "180A",
                [ScriptedCharacteristic("2A50", ["read"], .value(value))]
            )
        }
        await stage.discover()
        await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        await stage.client.wait(for: "SIG ~F0_F1_F2_F3_F4_F5 [Modalias")
        let modalias = await stage.client.property(SimulatorStage.device, "Device1", "Modalias")
        #expect(modalias?.text == "bluetooth:v1D6Bp0246d0213")
    }

    @Test("An included service is listed by its object path, and is not primary")
    func includes() async throws {
        let stage = try await stage()
        let service = SimulatorStage.device + "/service0100"
        let includes = await stage.client.property(
            SimulatorStage.device + "/service0200",
            "GattService1",
            "Includes"
        )
        #expect(includes?.elements?.map(\.path?.text) == [service])
        #expect(await stage.client.property(service, "GattService1", "Primary") == .boolean(false))
        let uuids = await stage.client.property(SimulatorStage.device, "Device1", "UUIDs")
        #expect(uuids?.texts?.contains { $0.hasPrefix("0000ff00") } == false)
        #expect(uuids?.texts?.contains { $0.hasPrefix("0000ff02") } == true)
    }

    @Test(
        "Each characteristic reports a new MTU from 5.62 on",
        .pitfall(.mtuChanges),
        arguments: [SimulatedBlueZVersion.v5_55, .v5_66]
    )
    func mtu(kind: SimulatedBlueZVersion) async throws {
        let stage = try await stage(kind)
        await stage.system.perform { $0.device(Self.gadget)?.mtu = 100 }
        if kind == .v5_66 { await stage.client.wait(for: "SIG ~F0_F1_F2_F3_F4_F5/service0100") }
        await stage.read("0023")
        let told = await stage.client.taken().filter { $0.contains("[MTU 100]") }
        #expect(told.isEmpty == (kind == .v5_55))
        #expect(Set(told).count == told.count)
    }
}
