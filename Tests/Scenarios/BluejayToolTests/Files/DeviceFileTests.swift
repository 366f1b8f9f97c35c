import BluejayDeviceFile
import Foundation
import Testing

@Suite("Device files in JSON", .timeLimit(.minutes(15)))
struct DeviceFileTests {
    private static func uuid(_ text: String) throws -> AttributeUUID {
        try #require(AttributeUUID(text))
    }

    /// A file with every supported key.
    static let whole = """
        {
          "version": 1,
          "address": "c4:7c:8d:6a:1f:02",
          "addressType": "public",
          "name": "Sensor",
          "advertises": ["180d", "0000180F-0000-1000-8000-00805f9b34fb"],
          "manufacturerData": [{"company": "004c", "value": "0215"}, {"company": "0059", "text": "abcd"}],
          "services": [
            {"uuid": "180D", "characteristics": [
              {"uuid": "2A37", "properties": ["notify"], "descriptors": [{"uuid": "2901", "text": "Beats"}]},
              {"uuid": "2A38", "properties": ["read", "write"], "value": "01"},
              {"uuid": "2A37", "properties": ["encrypt-indicate"], "value": ""}
            ]},
            {"uuid": "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "primary": false}
          ],
          "notifications": [
            {"characteristic": "180D/2A37#1", "milliseconds": 20, "value": "ff00"},
            {"characteristic": "180d/2a37", "milliseconds": 10, "text": "12"}
          ]
        }
        """

    static func device() throws -> DeviceFile {
        DeviceFile(
            address: .init(text: "C4:7C:8D:6A:1F:02", isRandom: false),
            name: "Sensor",
            advertises: [try uuid("180D"), try uuid("180F")],
            manufacturerData: [0x004C: [2, 0x15], 0x0059: Array("abcd".utf8)],
            services: [
                .init(
                    uuid: try uuid("180D"),
                    characteristics: [
                        .init(
                            uuid: try uuid("2A37"),
                            properties: ["notify"],
                            descriptors: [.init(uuid: try uuid("2901"), value: Array("Beats".utf8))]
                        ),
                        .init(uuid: try uuid("2A38"), properties: ["read", "write"], value: [1]),
                        .init(uuid: try uuid("2A37"), properties: ["encrypt-indicate"], value: []),
                    ]
                ),
                .init(
                    uuid: try uuid("6e400001-b5a3-f393-e0a9-e50e24dcca9e"),
                    isPrimary: false,
                    characteristics: []
                ),
            ],
            notifications: [
                .init(
                    index: .init(service: 0, characteristic: 2),
                    milliseconds: 20,
                    value: [255, 0]
                ),
                .init(
                    index: .init(service: 0, characteristic: 0),
                    milliseconds: 10,
                    value: Array("12".utf8)
                ),
            ]
        )
    }

    @Test("Every supported key of a file is decoded")
    func reading() throws {
        #expect(try DeviceFile(json: Data(Self.whole.utf8)) == Self.device())
    }

    @Test("An encoded device decodes to the same device and encodes to the same bytes")
    func roundTrip() throws {
        let bytes = try Self.device().json()
        let read = try DeviceFile(json: bytes)
        #expect(read == (try Self.device()))
        #expect(try read.json() == bytes)
    }

    @Test("A printable value of at least four bytes is encoded as text")
    func values() throws {
        let text = String(decoding: try Self.device().json(), as: UTF8.self)
        #expect(text.contains(#""text" : "abcd""#))
        #expect(text.contains(#""text" : "Beats""#))
        #expect(text.contains(#""value" : "3132""#))
        #expect(text.contains(#""value" : "ff00""#))
    }

    @Test("The version is the only required key")
    func least() throws {
        #expect(try DeviceFile(json: Data(#"{"version":1}"#.utf8)) == DeviceFile())
    }

    @Test("The notifications of a characteristic are sorted by time")
    func times() throws {
        let place = DeviceFile.CharacteristicIndex(service: 0, characteristic: 0)
        let other = DeviceFile.CharacteristicIndex(service: 0, characteristic: 2)
        var device = try Self.device()
        device.notifications = [
            .init(index: place, milliseconds: 5, value: [1]),
            .init(index: other, milliseconds: 0, value: [2]),
            .init(index: place, milliseconds: 5, value: [3]),
            .init(index: place, milliseconds: 1, value: [4]),
        ]
        #expect(device.notifications(at: place).map(\.value) == [[4], [1], [3]])
    }

    private static func characteristic(_ rest: String) -> String {
        #"{"version":1,"services":[{"uuid":"180D","characteristics":[{"uuid":"2A37",\#(rest)}]}]}"#
    }

    private static func notification(_ rest: String) -> String {
        #"{"version":1,"services":[{"uuid":"180D","characteristics":[{"uuid":"2A37","properties":["notify"]},"#
            + #"{"uuid":"2A37","properties":["notify"]},{"uuid":"2A38","properties":["read"]}]}],"#
            + #""notifications":[\#(rest)]}"#
    }

    private static let words = DeviceFile.Characteristic.possibleProperties.joined(separator: ", ")

    static let wrong: [(String, String)] = [
        ("{", "the file is not JSON: expected a field name in quotes in line 1, column 2"),
        ("[]", "the file is not an object"),
        ("{}", "version is missing"),
        (#"{"version":2}"#, "version is 2; this program reads version 1"),
        (#"{"version":"1"}"#, "version is not a whole number"),
        (
            #"{"version":1,"servics":[]}"#,
            "servics is an unknown field; use one of version, address, addressType, name, "
                + "advertises, manufacturerData, services, notifications"
        ),
        (
            characteristic(#""properties":["read"],"vlaue":"00""#),
            "services[0].characteristics[0].vlaue is an unknown field; use one of uuid, properties, "
                + "value, text, descriptors"
        ),
        (
            notification(#"{"characteristic":"2A38","seconds":0,"value":""}"#),
            "notifications[0].seconds is an unknown field; use one of characteristic, milliseconds, "
                + "value, text"
        ),
        (
            #"{"version":1,"address":"C4:7C:8D"}"#,
            "address is not an address like C4:7C:8D:6A:1F:02: C4:7C:8D"
        ),
        (#"{"version":1,"addressType":"random"}"#, "address is missing"),
        (
            #"{"version":1,"address":"C4:7C:8D:6A:1F:02","addressType":"x"}"#,
            #"addressType must be "public" or "random""#
        ),
        (#"{"version":1,"name":""}"#, "name has 0 bytes; use 1 to 248"),
        (#"{"version":1,"name":5}"#, "name is not a string"),
        (#"{"version":1,"advertises":[null]}"#, "advertises[0] is not a string"),
        (
            #"{"version":1,"advertises":["180D","18"]}"#,
            "advertises[1] is not a UUID of 4, 8 or 36 characters: 18"
        ),
        (#"{"version":1,"advertises":["180D","180d"]}"#, "advertises[1] is a duplicate: 180d"),
        (
            #"{"version":1,"advertises":["6E400001-B5A3-F393-E0A9-E50E24DCCA9E"],"manufacturerData":"#
                + #"[{"company":"0059","value":"00112233445566"}]}"#,
            "advertises and \"manufacturerData\" take 32 bytes of an advertisement; the limit is 31"
        ),
        (
            #"{"version":1,"manufacturerData":[{"company":"59","value":""}]}"#,
            "manufacturerData[0].company is not four hexadecimal digits: 59"
        ),
        (
            #"{"version":1,"manufacturerData":[{"company":"0059","value":""},{"company":"0059","text":""}]}"#,
            "manufacturerData[1] repeats the company of an earlier entry"
        ),
        (
            #"{"version":1,"services":[{"uuid":"1801"}]}"#,
            "services[0].uuid is reserved: every device has this service"
        ),
        (#"{"version":1,"services":[{}]}"#, "services[0].uuid is missing"),
        (
            #"{"version":1,"services":[{"uuid":"180D","characteristics":{}}]}"#,
            "services[0].characteristics is not a list"
        ),
        (characteristic(#""value":"00""#), "services[0].characteristics[0].properties is missing"),
        (
            characteristic(#""properties":[]"#),
            "services[0].characteristics[0].properties must not be empty"
        ),
        (
            characteristic(#""properties":["read","reed"]"#),
            "services[0].characteristics[0].properties[1] is not a property: reed; use one of \(words)"
        ),
        (
            characteristic(#""properties":["read","read"]"#),
            "services[0].characteristics[0].properties[1] is a duplicate: read"
        ),
        (
            characteristic(#""properties":["read"],"value":"0""#),
            "services[0].characteristics[0].value must be pairs of hexadecimal digits"
        ),
        (
            characteristic(#""properties":["read"],"value":"00","text":"a""#),
            "services[0].characteristics[0].text cannot be combined with \"value\""
        ),
        (
            characteristic(
                #""properties":["read"],"value":"\#(String(repeating: "00", count: 513))""#
            ),
            "services[0].characteristics[0].value has 513 bytes; the limit is 512"
        ),
        (
            characteristic(#""properties":["read"],"descriptors":[{"uuid":"2902","value":""}]"#),
            "services[0].characteristics[0].descriptors[0].uuid is reserved: this descriptor follows from "
                + "the properties"
        ),
        (
            characteristic(#""properties":["read"],"descriptors":[{"uuid":"2901"}]"#),
            "services[0].characteristics[0].descriptors[0].value is missing; write \"value\" or \"text\""
        ),
        (
            notification(#"{"characteristic":"2A39","milliseconds":0,"value":""}"#),
            "notifications[0] names an unknown characteristic: 2A39"
        ),
        (
            notification(#"{"characteristic":"180D/2A37#2","milliseconds":0,"value":""}"#),
            "notifications[0] names an unknown characteristic: 180D/2A37#2"
        ),
        (
            notification(#"{"characteristic":"2A38","milliseconds":0,"value":""}"#),
            "notifications[0] names 2A38, which neither notifies nor indicates"
        ),
        (
            notification(#"{"characteristic":"2A37","milliseconds":-1,"value":""}"#),
            "notifications[0].milliseconds must be between 0 and 2592000000"
        ),
        (
            notification(#"{"characteristic":"2A37","milliseconds":1.5,"value":""}"#),
            "notifications[0].milliseconds is not a whole number"
        ),
        (
            notification(#"{"characteristic":"2A37","value":""}"#),
            "notifications[0].milliseconds is missing"
        ),
    ]

    @Test("An invalid file is reported with the position of the error", arguments: wrong)
    func errors(_ text: String, _ words: String) {
        let error = #expect(throws: DeviceFileError.self) {
            try DeviceFile(json: Data(text.utf8))
        }
        #expect(error?.withoutLine == words)
        #expect(words.contains("not JSON") || error?.line == 1)
    }

    @Test("An ambiguous characteristic name is rejected with the possible names")
    func ambiguous() throws {
        let text = Self.whole.replacingOccurrences(
            of: #""primary": false}"#,
            with: #""characteristics": [{"uuid": "2A37", "properties": ["notify"]}]}"#
        ).replacingOccurrences(of: #""180d/2a37""#, with: #""2A37""#)
        let error = #expect(throws: DeviceFileError.self) {
            try DeviceFile(json: Data(text.utf8))
        }
        #expect(
            error?.withoutLine == "notifications[1] is ambiguous; use one of 180D/2A37, "
                + "6E400001-B5A3-F393-E0A9-E50E24DCCA9E/2A37"
        )
    }
}

extension DeviceFileError {
    var withoutLine: String { description.replacing(#/ \(line \d+\)$/#, with: "") }
}
