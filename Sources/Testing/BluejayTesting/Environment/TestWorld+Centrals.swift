internal import BluejayGLib
internal import BluejaySimulator

extension TestWorld {
    /// Adds a central, for testing a program that acts as a peripheral.
    ///
    /// ```swift
    /// let phone = try TestWorld.current.addCentral()
    /// try await phone.connect()
    /// try await phone.write([1], to: "2A39")
    /// ```
    ///
    /// - Parameters:
    ///   - address: The address; `nil` takes the first free one from `C0:FF:EE:00:00:01` on.
    ///   - isRandom: Whether the address is random rather than public.
    ///   - name: The device name in its Generic Access service.
    ///   - mtu: The largest ATT packet it accepts, 23 to 517 bytes.
    /// - Returns: A handle to the central.
    /// - Throws: ``TestWorldError/ended``.
    @discardableResult
    public func addCentral(
        address: String? = nil,
        isRandom: Bool = true,
        name: String? = nil,
        mtu: Int = 517
    ) throws -> TestCentral {
        let made = try perform { blueZ in
            let own = address ?? Self.freeAddress(in: blueZ)
            let central = SimulatedCentral(address: own, isRandom: isRandom, name: name)
            central.mtu = mtu
            blueZ.add(central)
            return (own, ObjectIdentifier(central))
        }
        return TestCentral(self, made.0, made.1)
    }

    private static func freeAddress(in blueZ: SimulatedBlueZ) -> String {
        var number = blueZ.centrals.count
        while true {
            number += 1
            let digits = String(number, radix: 16, uppercase: true)
            let last = String(repeating: "0", count: max(0, 4 - digits.count)) + digits.suffix(4)
            let address = "C0:FF:EE:00:\(last.prefix(2)):\(last.suffix(2))"
            if blueZ.central(address) == nil { return address }
        }
    }
}
