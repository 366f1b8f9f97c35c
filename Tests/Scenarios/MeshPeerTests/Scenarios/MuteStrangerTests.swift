import BluejaySimulator
import Foundation
import MeshPeer
import Testing

@Suite(
    "Devices that advertise the mesh service and never reply to a discovery",
    .timeLimit(.minutes(15))
)
struct MuteStrangerTests {
    private static let addresses = (1...12).map { String(format: "C0:00:00:00:01:%02X", $0) }

    @Test(
        "The links of a central, including released ones, do not exceed the maximum number of peers",
        arguments: SimulatedKernel.allCases
    )
    func links(kernel: SimulatedKernel) async throws {
        try await MeshStage.play(adapters: 1, kernel: kernel) { stage in
            try stage.perform { world in
                for address in Self.addresses {
                    let device = simulatedNode(address)
                    device.answersDiscovery = false
                    world.add(device)
                }
            }
            var settings = BLECentralManager.Settings()
            settings.maximumPeers = 5
            settings.connectionTimeout = .seconds(3)
            let node = try Node(0, in: stage.world, settings)
            node.start()
            var highest = 0
            for _ in 0..<900 {
                try await stage.wait(.milliseconds(200))
                let count = try stage.perform { world in
                    Self.addresses.count { world.device($0)?.isConnected == true }
                }
                highest = max(highest, count)
            }
            #expect(highest == 5)
            // bluetoothd has survived: both managers report the state twice, before the start and after.
            #expect(node.count { if case .stateChanged = $0 { true } else { false } } == 4)
        }
    }
}
