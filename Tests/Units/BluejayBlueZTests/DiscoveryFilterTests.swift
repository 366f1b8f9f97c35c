import BluejayCore
import BluejayDBus
import TestTraits
import Testing

@testable import BluejayBlueZ

private let heart = BluetoothUUID(string: "180D")
private let battery = BluetoothUUID(string: "180F")

@Suite("The merged discovery filter of several scans")
struct DiscoveryFilterTests {
    private typealias Filter = DiscoveryStateMachine.MergedFilter

    @Test(
        "The filter of bluetoothd contains no services, because it compares only lists of services"
    )
    func services() {
        let one = DiscoveryFilter(services: [heart])
        let other = DiscoveryFilter(services: [battery])
        #expect(Filter(for: [one]) == Filter(reportsDuplicates: false))
        #expect(Filter(for: [one, other]) == Filter(for: [DiscoveryFilter()]))
    }

    @Test(
        "Each filter restricts a discovery to Low Energy",
        .pitfall(.interleavedInquiry, .dualModePrefersClassic, .hiddenDevices),
        arguments: [nil, -60] as [Int?]
    )
    func transport(minimumRSSI: Int?) {
        let call = Adapter1.setDiscoveryFilter(
            "/org/bluez/hci0",
            reportsDuplicates: false,
            minimumRSSI: minimumRSSI
        )
        var filter: BusProperties = [
            ("Transport", .string("le")), ("DuplicateData", .boolean(false)),
        ]
        if let minimumRSSI { filter.append(("RSSI", .int16(Int16(minimumRSSI)))) }
        #expect(call.arguments == [.properties(filter)])
    }

    @Test(
        "The merged filter has the lowest requested strength, or none if no scan requests one",
        arguments: [
            ([nil], false, nil), ([-60], false, -60), ([-60, -80], false, -80),
            ([-60, nil], false, -127), ([nil], true, -127), ([-60], true, -60),
            ([-60, -80], true, -80), ([-300], false, -127), ([50], false, 20),
        ] as [([Int?], Bool, Int?)]
    )
    func strength(_ minimums: [Int?], _ duplicates: Bool, _ expected: Int?) {
        let filters = minimums.map {
            DiscoveryFilter(reportsDuplicates: duplicates, minimumRSSI: $0)
        }
        #expect(Filter(for: filters).minimumRSSI == expected)
        #expect(Filter(for: filters).reportsDuplicates == duplicates)
    }

    @Test("Scans for services include connected devices")
    func connected() {
        #expect(!DiscoveryFilter().includesConnected)
        #expect(DiscoveryFilter(services: [heart]).includesConnected)
        #expect(DiscoveryFilter(includesConnected: true).includesConnected)
    }
}
