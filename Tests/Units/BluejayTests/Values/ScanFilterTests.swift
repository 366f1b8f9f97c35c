import BluejayCore
import BluejayDBus
import Foundation
import Testing

@testable import Bluejay
@testable import BluejayBlueZ

private let heart = ServiceIdentifier(uuid: "180D")
private let battery = ServiceIdentifier(uuid: "180F")
private let device = ServiceIdentifier(uuid: "180A")

/// An advertisement of this table.
private struct Heard {
    var name: String?
    var rssi: Int?
    var services: [ServiceIdentifier] = []
    var manufacturerData: [UInt16: Data] = [:]
    var serviceData: [ServiceIdentifier: Data] = [:]

    var discovery: ScanDiscovery {
        get throws {
            ScanDiscovery(
                peripheralIdentifier: try PeripheralIdentifier(
                    address: "C4:7C:8D:6A:1F:02",
                    isRandomAddress: true,
                    name: name
                ),
                advertisement: Advertisement(
                    localName: name,
                    manufacturerData: manufacturerData,
                    serviceData: [BluetoothUUID: Data](
                        uniqueKeysWithValues: serviceData.map { ($0.key.uuid, $0.value) }
                    ),
                    serviceUUIDs: services.map(\.uuid)
                ),
                rssi: rssi ?? 127
            )
        }
    }

    var report: DiscoveredDevice {
        get throws {
            DiscoveredDevice(
                path: .root,
                address: try #require(DeviceAddress("C4:7C:8D:6A:1F:02", kind: .random)),
                name: name,
                rssi: rssi,
                uuids: services.map(\.uuid),
                manufacturerData: manufacturerData,
                serviceData: [BluetoothUUID: Data](
                    uniqueKeysWithValues: serviceData.map { ($0.key.uuid, $0.value) }
                )
            )
        }
    }
}

private struct Row: CustomTestStringConvertible {
    let rule: String
    let filter: ScanFilter
    let heard: Heard
    let fits: Bool

    init(_ rule: String, _ filter: ScanFilter, _ heard: Heard, _ fits: Bool) {
        self.rule = rule
        self.filter = filter
        self.heard = heard
        self.fits = fits
    }

    var testDescription: String { rule }
}

private let beacon = Data([0x02, 0x15, 0xAB])

private let rows: [Row] = [
    Row("everything matches an empty filter", .everything, Heard(), true),
    Row("a matching name prefix", .namePrefix("Pol"), Heard(name: "Polar H10"), true),
    Row("a name equal to the prefix", .namePrefix("Polar"), Heard(name: "Polar"), true),
    Row("a name shorter than the prefix", .namePrefix("Polar"), Heard(name: "Pol"), false),
    Row(
        "a prefix in the middle of the name",
        .namePrefix("H10"),
        Heard(name: "Polar H10"),
        false
    ),
    Row("the comparison is case-sensitive", .namePrefix("pol"), Heard(name: "Polar"), false),
    Row("a missing name matches no prefix", .namePrefix(""), Heard(), false),
    Row("an empty prefix matches any name", .namePrefix(""), Heard(name: "x"), true),
    Row("bytes are compared, not characters", .namePrefix("e"), Heard(name: "e\u{301}a"), true),
    Row("the address, in either case", .address("c4:7c:8d:6a:1f:02"), Heard(), true),
    Row("another address", .address("C4:7C:8D:6A:1F:03"), Heard(), false),
    Row(
        "one of the addresses",
        .addresses(["00:00:00:00:00:01", "C4:7C:8D:6A:1F:02"]),
        Heard(),
        true
    ),
    Row("an empty list matches no address", .addresses([]), Heard(), false),
    Row("strong enough", .minimumRSSI(-70), Heard(rssi: -70), true),
    Row("too weak", .minimumRSSI(-70), Heard(rssi: -71), false),
    Row("an unknown RSSI is below the minimum", .minimumRSSI(-127), Heard(), false),
    Row(
        "a company",
        .manufacturer(0x004C),
        Heard(manufacturerData: [0x004C: Data()]),
        true
    ),
    Row("another company", .manufacturer(0x004C), Heard(manufacturerData: [1: beacon]), false),
    Row(
        "data with the prefix",
        .manufacturer(0x004C, prefix: Data([0x02, 0x15])),
        Heard(manufacturerData: [0x004C: beacon, 1: Data()]),
        true
    ),
    Row(
        "data with another prefix",
        .manufacturer(0x004C, prefix: Data([0x15])),
        Heard(manufacturerData: [0x004C: beacon]),
        false
    ),
    Row(
        "data shorter than the prefix",
        .manufacturer(0x004C, prefix: beacon),
        Heard(manufacturerData: [0x004C: Data([0x02])]),
        false
    ),
    Row("one of the services", .anyService([heart, battery]), Heard(services: [battery]), true),
    Row("none of the services", .anyService([heart, battery]), Heard(services: [device]), false),
    Row("data of a service", .anyService([heart]), Heard(serviceData: [heart: Data()]), true),
    Row("an empty list of services", .anyService([]), Heard(), true),
    Row("each of the services", .allServices([heart, battery]), Heard(services: [heart]), false),
    Row(
        "services and data of services",
        .allServices([heart, battery]),
        Heard(services: [battery, device], serviceData: [heart: Data([1])]),
        true
    ),
    Row(
        "all conditions",
        .namePrefix("Polar") && .minimumRSSI(-60) && .anyService([heart]),
        Heard(name: "Polar", rssi: -50, services: [heart]),
        true
    ),
    Row(
        "all conditions except one",
        .namePrefix("Polar") && .minimumRSSI(-60) && .anyService([heart]),
        Heard(name: "Polar", rssi: -61, services: [heart]),
        false
    ),
    Row(
        "two conditions of one kind",
        .minimumRSSI(-60) && .minimumRSSI(-80),
        Heard(rssi: -70),
        false
    ),
    Row(
        "addresses of two conditions",
        .addresses(["C4:7C:8D:6A:1F:02", "00:00:00:00:00:01"]) && .address("00:00:00:00:00:01"),
        Heard(),
        false
    ),
    Row("the address with hyphens", .address("c4-7c-8d-6a-1f-02"), Heard(), true),
    Row("the first of two filters", .name("A") || .minimumRSSI(-60), Heard(name: "A"), true),
    Row("the second of two filters", .name("A") || .minimumRSSI(-60), Heard(rssi: -50), true),
    Row("neither of two filters", .name("A") || .minimumRSSI(-60), Heard(name: "B"), false),
    Row("everything or a name", .everything || .name("A"), Heard(), true),
    Row(
        "`&&` binds more tightly than `||`",
        .name("A") || .name("B") && .minimumRSSI(-60),
        Heard(name: "A"),
        true
    ),
    Row(
        "one of two services, each with a name",
        .anyService([heart]) && .name("A") || .anyService([battery]) && .name("B"),
        Heard(name: "B", services: [battery]),
        true
    ),
    Row(
        "the service of the other name",
        .anyService([heart]) && .name("A") || .anyService([battery]) && .name("B"),
        Heard(name: "A", services: [battery]),
        false
    ),
    Row("not the name", !.name("A"), Heard(name: "A"), false),
    Row("another name", !.name("A"), Heard(name: "B"), true),
    Row("a missing name is another name", !.name("A"), Heard(), true),
    Row("a double negation", !(!.anyService([heart])), Heard(services: [heart]), true),
    Row("without the service", !.anyService([heart]), Heard(services: [battery]), true),
    Row("not the address", !.address("C4:7C:8D:6A:1F:02"), Heard(), false),
    Row("nothing", !.everything, Heard(name: "A", rssi: -20), false),
    Row(
        "neither of two conditions",
        !(.name("A") || .anyService([heart])) && .minimumRSSI(-60),
        Heard(name: "B", rssi: -50, services: [heart]),
        false
    ),
    Row("a closure that returns true", .where { $0.rssi > -60 }, Heard(rssi: -50), true),
    Row("a closure that returns false", .where { $0.rssi > -60 }, Heard(rssi: -70), false),
    Row(
        "a closure and a name",
        .where { $0.advertisement.manufacturerData[1]?.count == 3 } && .name("A"),
        Heard(name: "A", manufacturerData: [1: beacon]),
        true
    ),
]

@Suite("Filters of a scan")
struct ScanFilterTests {
    @Test("A filter has the same result for a report and for a discovery", arguments: rows)
    fileprivate func table(_ row: Row) throws {
        #expect(row.filter.matches(try row.heard.discovery) == row.fits)
        var heard: [DiscoveredDevice] = []
        let receive = row.filter.filtering { heard.append($0) }
        let report = try row.heard.report
        // The engine has checked these before.
        guard report.hasOne(of: row.filter.necessaryServices.map { Set($0) }) else {
            return #expect(!row.fits)
        }
        receive(report)
        #expect(heard == (row.fits ? [report] : []))
    }

    @Test("The discovery filter contains what all conditions share, and nothing narrower")
    func wish() {
        func wish(_ filter: ScanFilter) -> DiscoveryFilter {
            DiscoveryFilter(filter, reportsDuplicates: false)
        }
        #expect(wish(.everything) == DiscoveryFilter(includesConnected: false))
        #expect(wish(.namePrefix("x")) == DiscoveryFilter(includesConnected: true))
        #expect(wish(.minimumRSSI(-60) && .minimumRSSI(-50)).minimumRSSI == -50)
        #expect(wish(.anyService([heart, battery])).services == [heart.uuid, battery.uuid])
        #expect(wish(.allServices([heart, battery])).services == [heart.uuid])
        #expect(
            wish(.anyService([heart, battery]) && .anyService([device])).services == [device.uuid]
        )
    }

    @Test("The engine's request is no narrower than any alternative, and ignores exclusions")
    func alternatives() {
        func wish(_ filter: ScanFilter) -> DiscoveryFilter {
            DiscoveryFilter(filter, reportsDuplicates: false)
        }
        let either = wish(.anyService([heart]) || .allServices([battery, device]))
        #expect(either.services == [heart.uuid, battery.uuid])
        #expect(wish(.anyService([heart]) || .name("A")).services == nil)
        #expect(wish(.minimumRSSI(-60) || .minimumRSSI(-80)).minimumRSSI == -80)
        #expect(wish(.minimumRSSI(-60) || .name("A")).minimumRSSI == nil)
        #expect(
            wish(.minimumRSSI(-90) && (.minimumRSSI(-60) || .minimumRSSI(-80))).minimumRSSI == -80
        )
        #expect(wish(!.anyService([heart])) == DiscoveryFilter(includesConnected: true))
        #expect(wish(!.minimumRSSI(-60)).minimumRSSI == nil)
        #expect(wish(.where { _ in true }) == DiscoveryFilter(includesConnected: true))
        #expect(wish(.where { _ in true } && .anyService([heart])).services == [heart.uuid])
        #expect(
            wish(.everything || .anyService([heart])) == DiscoveryFilter(includesConnected: false)
        )
    }

    @Test("A malformed address or UUID in an alternative or an exclusion is refused")
    func nestedRefusals() {
        let bad = ServiceIdentifier(uuid: "heart")
        #expect((.name("A") || ScanFilter.address("x")).rejection == .malformedAddress("x"))
        #expect((!ScanFilter.anyService([bad])).rejection == .malformedUUID("heart"))
        #expect((!(.name("A") || ScanFilter.name("B"))).rejection == nil)
    }

    @Test("The address is known only if each match has one")
    func wantedAddresses() {
        let named = ScanFilter.address("C4:7C:8D:6A:1F:02")
        #expect((named || .address("C4:7C:8D:6A:1F:03")).wantedAddresses.count == 2)
        #expect((named || .name("A")).wantedAddresses.isEmpty)
        #expect((!named).wantedAddresses.isEmpty)
    }

    @Test("An invalid filter is rejected with its first error")
    func refusals() {
        #expect((ScanFilter.namePrefix("") && .address("C4:7C:8D:6A:1F:02")).rejection == nil)
        #expect(ScanFilter.address("C4:7C").rejection == .malformedAddress("C4:7C"))
        #expect(
            ScanFilter.addresses(["C4:7C:8D:6A:1F:02", ""]).rejection == .malformedAddress("")
        )
        let bad = ServiceIdentifier(uuid: "heart")
        #expect(ScanFilter.anyService([heart, bad]).rejection == .malformedUUID("heart"))
        #expect(
            (ScanFilter.allServices([bad]) && .address("x")).rejection == .malformedUUID("heart")
        )
    }

    @Test("A filter describes its conditions")
    func words() {
        #expect(ScanFilter.everything.description == "")
        #expect(
            (ScanFilter.namePrefix("Polar") && .minimumRSSI(-70)).description
                == "name \"Polar…\" and -70 dBm or more"
        )
        #expect(
            ScanFilter.manufacturer(0x004C, prefix: Data([2, 0x15])).description
                == "data of company 0x004C that begins with 0x0215"
        )
        #expect(ScanFilter.anyService([heart, battery]).description == "service 180D or 180F")
        #expect(ScanFilter.allServices([heart, battery]).description == "service 180D and 180F")
        #expect(ScanFilter.addresses(["a", "b"]).description == "address a or b")
        let one = ScanFilter.name("A")
        let other = ScanFilter.name("B")
        #expect((one || other).description == "name \"A\" or name \"B\"")
        #expect(
            ((one || other) && .minimumRSSI(-70)).description
                == "(name \"A\" or name \"B\") and -70 dBm or more"
        )
        #expect(
            (one && .minimumRSSI(-70) || other || one).description
                == "(name \"A\" and -70 dBm or more) or name \"B\" or name \"A\""
        )
        #expect((!one).description == "not name \"A\"")
        #expect((!(one && other)).description == "not (name \"A\" and name \"B\")")
        #expect((!ScanFilter.everything).description == "nothing")
        #expect(ScanFilter.where { _ in true }.description == "a condition of the program")
    }

    @Test("Filters are equatable values")
    func values() {
        let named = ScanFilter.namePrefix("a")
        #expect((named && ScanFilter.everything) == named)
        #expect(ScanFilter.everything.isEmpty)
        #expect(!ScanFilter.minimumRSSI(-1).isEmpty)
        #expect(Set([ScanFilter.everything, .anyService([])]).count == 1)
        #expect((named || .everything).isEmpty)
        #expect(!(!named) == named)
        let near = ScanFilter.where { $0.rssi > -60 }
        #expect(near == near && near != .where { $0.rssi > -60 })
    }
}
