extension SimulatedDevice {
    /// Where things are in a ``SimulatedDevice/thermometer(droppingOutAfter:for:address:)``.
    public enum Thermometer {
        /// Its address.
        public static let address = "C4:7C:8D:6A:1F:04"
        /// The advertised service.
        public static let service = "1809"
        /// Notifies a temperature each second: 36.0 °C to 36.9 °C in turn, `[0, 104, 1, 0, 255]` first.
        public static let measurement = "2A1C"
        /// Where it measures: `[2]`, the body.
        public static let type = "2A1D"
    }

    /// A thermometer that loses its link time and again, as one does at the edge of its range.
    ///
    /// - Parameters:
    ///   - time: How long a link lasts, in simulated time; nil is for ever.
    ///   - absence: How long it is away then: it neither advertises nor answers.
    ///   - address: Of the thermometer.
    /// - Returns: A thermometer that is there.
    public static func thermometer(
        droppingOutAfter time: Duration? = nil,
        for absence: Duration = .seconds(600),
        address: String = Thermometer.address
    ) -> SimulatedDevice {
        let device = SimulatedDevice(
            address: address,
            name: "Thermometer",
            advertising: [Thermometer.service]
        )
        device.dropOut = time.map { DropOut(time: $0, absence: absence) }
        // Celsius; tenths in the mantissa of 24 bits, and the exponent -1.
        let values = (360..<370).map { [0, UInt8($0 & 0xFF), UInt8($0 >> 8), 0, 0xFF] }
        device.addService(
            Thermometer.service,
            [
                ScriptedCharacteristic(
                    Thermometer.measurement,
                    ["notify"],
                    .sends(values, everySeconds: 1)
                ),
                ScriptedCharacteristic(Thermometer.type, ["read"], .value([2])),
            ]
        )
        return device
    }
}

/// The way in which a device loses its links by itself.
struct DropOut {
    /// After the beginning of a link.
    let time: Duration
    /// Until it is there again.
    let absence: Duration

    /// A link has begun; it is lost unless it has ended before.
    func begin(_ device: SimulatedDevice, whileUp isUp: @escaping () -> Bool) {
        device.world?.later(time) { [weak device] in
            guard let device, isUp() else { return }
            device.goAway()
            device.world?.later(absence) { [weak device] in device?.comeBack() }
        }
    }
}
