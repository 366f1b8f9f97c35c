import BluejayCore
import Testing

@Suite("Identifiers of services and characteristics")
struct IdentifierTests {
    private let heartRate = ServiceIdentifier(uuid: "180D")

    @Test("Identifiers created in three ways are equal")
    func threeWays() throws {
        #expect(try ServiceIdentifier(validating: "0000180d") == heartRate)
        #expect(ServiceIdentifier(uuid: CBUUID(string: "180D")) == heartRate)
        let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)
        #expect(
            try CharacteristicIdentifier(validating: "2a37", service: heartRate) == measurement
        )
        #expect(
            CharacteristicIdentifier(uuid: CBUUID(string: "2A37"), service: heartRate)
                == measurement
        )
        #expect(try measurement.validated() == measurement)
        #expect(try heartRate.validated() == heartRate)
    }

    @Test("The same UUID in another service is another characteristic")
    func serviceCounts() {
        let battery = ServiceIdentifier(uuid: "180F")
        #expect(
            CharacteristicIdentifier(uuid: "2A37", service: heartRate)
                != CharacteristicIdentifier(uuid: "2A37", service: battery)
        )
    }

    @Test("The description names the characteristic and its service")
    func description() {
        let measurement = CharacteristicIdentifier(uuid: "2a37", service: heartRate)
        #expect(measurement.description == "2A37 of service 180D")
        #expect("\(heartRate)" == "180D")
    }

    @Test(
        "An identifier includes the instance, and its description names any instance but the first"
    )
    func instances() throws {
        let first = CharacteristicIdentifier(uuid: "2A4D", service: heartRate)
        let second = CharacteristicIdentifier(uuid: "2A4D", service: heartRate, instance: 1)
        #expect(first.instance == 0)
        #expect(first != second)
        #expect(Set([first, second]).count == 2)
        #expect(second.description == "2A4D instance 1 of service 180D")
        let other = ServiceIdentifier(uuid: "180D", instance: 2)
        #expect(other != heartRate)
        #expect("\(other)" == "180D instance 2")
        #expect(try ServiceIdentifier(validating: "180D", instance: 2) == other)
        let report = try CharacteristicIdentifier(validating: "2A4D", service: other, instance: 1)
        #expect(report.description == "2A4D instance 1 of service 180D instance 2")
    }

    @Test("A descriptor identifier includes its characteristic")
    func descriptors() {
        let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)
        let description = DescriptorIdentifier.userDescription(of: measurement)
        #expect(description == DescriptorIdentifier(uuid: "2901", characteristic: measurement))
        #expect(description.description == "2901 of 2A37 of service 180D")
        let format = DescriptorIdentifier.presentationFormat(of: measurement, instance: 1)
        #expect(format != .presentationFormat(of: measurement))
        #expect(format.description == "2904 instance 1 of 2A37 of service 180D")
    }

    @Test("Malformed text creates an identifier that throws on validation")
    func malformed() {
        let service = ServiceIdentifier(uuid: "heart")
        #expect(throws: BluejayError.malformedUUID("heart")) { try service.validated() }
        #expect(throws: BluejayError.malformedUUID("heart")) {
            try CharacteristicIdentifier(uuid: "2A37", service: service).validated()
        }
        #expect(throws: BluejayError.malformedUUID("rate")) {
            try CharacteristicIdentifier(uuid: "rate", service: heartRate).validated()
        }
    }

    @Test("Validating initializers reject malformed text")
    func refused() {
        #expect(throws: BluejayError.malformedUUID("heart")) {
            try ServiceIdentifier(validating: "heart")
        }
        #expect(throws: BluejayError.malformedUUID("rate")) {
            try CharacteristicIdentifier(validating: "rate", service: heartRate)
        }
        #expect(throws: BluejayError.malformedUUID("heart")) {
            try CharacteristicIdentifier(
                validating: "2A37",
                service: ServiceIdentifier(uuid: "heart")
            )
        }
    }
}
