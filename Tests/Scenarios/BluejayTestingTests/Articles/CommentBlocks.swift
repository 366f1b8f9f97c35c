import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejayL2CAP
import BluejaySimulator
import BluejayTesting
import Foundation
import XCTest

/// The class in the comment of `SimulatedBlueZTestCase`.
final class LockTests: SimulatedBlueZTestCase {
    override func prepare(_ blueZ: SimulatedBlueZ) { blueZ.add(.lock()) }

    func testItIsFound() async throws {
        let bluejay = Bluejay()
        await bluejay.start()
        try await bluejay.connect(toFirst: .name("Lock"), within: 20)
    }
}

// The following blocks use the adapter of this machine, or run until a signal. They are compiled only.

/// The comment of `BluetoothHost`.
func shareHost() -> (Bluejay, GATTServer) {
    let host = BluetoothHost(adapter: "hci1")
    let bluejay = Bluejay(host: host)
    let server = GATTServer(host: host)
    return (bluejay, server)
}

/// The comment of `L2CAPChannel`.
func send(_ log: Data, to sensor: PeripheralIdentifier) async throws {
    let channel = L2CAPChannel(to: sensor, psm: 0x80)
    try await channel.open()
    try await channel.send(contentsOf: log)
    for await packet in channel.received { print(packet.count) }
}

/// The comment of `withChannel`.
func send(_ file: Data, through peer: PeripheralIdentifier) async throws {
    try await L2CAPChannel.withChannel(to: peer, psm: 0x80) {
        try await $0.send(contentsOf: file)
    }
}

/// The comment of `L2CAPListener`.
func echoChannels() async throws {
    let listener = L2CAPListener()
    print("PSM", try await listener.start())
    for await channel in listener.channels {
        Task { for await packet in channel.received { try await channel.send(packet) } }
    }
}

/// The comment of `BluetoothHost.main`.
func serveOnHost(_ service: LocalService, _ advertisement: LocalAdvertisement) async {
    await BluetoothHost.main { host in
        let server = GATTServer(host: host)
        server.start()
        try await server.serve([service], advertising: advertisement)
    }
}

/// The comment of `MainLoop`.
func runMainLoop() {
    let bluejay = Bluejay()
    bluejay.start()
    MainLoop.main.run()
}

/// The comment of `MainLoop.run(stoppingOn:_:)`.
func readOnMainLoop() throws -> UInt8 {
    let bluejay = Bluejay()
    let battery = try MainLoop.main.run {
        await bluejay.start()
        try await bluejay.connect(toFirst: .name("Lamp"), within: 20)
        return try await bluejay.read(from: .batteryLevel, as: UInt8.self)
    }
    return battery
}

/// The comment of `GATTServer`.
func serveOnMainLoop() {
    let level = LocalCharacteristic(
        uuid: "2A19",
        properties: [.read, .notify],
        value: Data([100])
    )
    let battery = LocalService(uuid: "180F", characteristics: [level])
    let server = GATTServer()
    server.start()
    server.add(battery) { result in print(result) }
    server.startAdvertising(LocalAdvertisement(serviceUUIDs: [battery.uuid])) { print($0) }
    MainLoop.main.run()
}

/// The program in "Coming from bleak".
func printBodySensorLocation() async {
    await Bluejay.main(connectedToFirst: .name("Heart Rate Sensor"), within: 20) { sensor in
        print(try await sensor.read(from: .bodySensorLocation, as: UInt8.self))
    }
}
