import BluejayBlueZ
import BluejayCore
import BluejayDBus
import Testing

@testable import Bluejay

@Suite("The delay of connected peripherals in a scan")
struct ConnectedDeviceDelayTests {
    @Test("An advertising peripheral is reported without a delay")
    func advertising() throws {
        var delay = ConnectedDeviceDelay(keeping: .newest)
        #expect(try !delay.add(report("/a", isConnected: false)))
        #expect(delay.end() == [])
    }

    @Test("The newest report of each peripheral is returned once, in the order of these reports")
    func newest() throws {
        var delay = ConnectedDeviceDelay(keeping: .newest)
        #expect(try delay.add(report("/a", rssi: -40)))
        #expect(try delay.add(report("/b", rssi: -50)))
        #expect(try delay.add(report("/a", rssi: -60)))
        #expect(try delay.end() == [report("/b", rssi: -50), report("/a", rssi: -60)])
        #expect(delay.end() == [])
    }

    @Test("The first report of each peripheral is returned, in the order of these reports")
    func first() throws {
        var delay = ConnectedDeviceDelay(keeping: .first)
        #expect(try delay.add(report("/a", rssi: -40)))
        #expect(try delay.add(report("/b", rssi: -50)))
        #expect(try delay.add(report("/a", rssi: -60)))
        #expect(try delay.end() == [report("/a", rssi: -40), report("/b", rssi: -50)])
    }

    @Test(
        "A peripheral that advertises or disconnects is no longer delayed",
        arguments: [ConnectedDeviceDelay.KeptReport.first, .newest]
    )
    private func released(kept: ConnectedDeviceDelay.KeptReport) throws {
        var delay = ConnectedDeviceDelay(keeping: kept)
        #expect(try delay.add(report("/a")))
        #expect(try delay.add(report("/b")))
        #expect(try delay.add(report("/c")))
        #expect(try !delay.add(report("/a", isConnected: false)))
        delay.remove(try report("/b"))
        #expect(try delay.end() == [report("/c")])
    }

    @Test("After the end of the delay, no report is held back")
    func ended() throws {
        var delay = ConnectedDeviceDelay(keeping: .newest)
        #expect(delay.end() == [])
        #expect(try !delay.add(report("/a")))
        #expect(delay.end() == [])
    }

    @Test(
        "The delay lasts one second, but at most half of the scan",
        arguments: [
            (nil, Duration.seconds(1)), (.seconds(10), .seconds(1)), (.seconds(2), .seconds(1)),
            (.seconds(1), .milliseconds(500)),
        ] as [(Duration?, Duration)]
    )
    func length(scan: Duration?, expected: Duration) {
        #expect(ConnectedDeviceDelay.length(inScanOf: scan) == expected)
    }

    private func report(
        _ path: ObjectPath,
        rssi: Int? = nil,
        isConnected: Bool = true
    ) throws -> DiscoveredDevice {
        DiscoveredDevice(
            path: path,
            address: try #require(DeviceAddress("C4:7C:8D:6A:1F:02", kind: .random)),
            rssi: rssi,
            uuids: [],
            manufacturerData: [:],
            serviceData: [:],
            isConnected: isConnected
        )
    }
}
