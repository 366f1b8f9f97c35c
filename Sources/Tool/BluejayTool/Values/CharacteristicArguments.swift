import ArgumentParser

/// A device and one of its characteristics; the device is optional.
struct CharacteristicArguments: ParsableArguments {
    @Argument(help: deviceHelp)
    var device: String

    @Argument(
        help: ArgumentHelp(
            "Its UUID or its name: 2A37, battery-level, 180F/2A19, 2A4D#1.",
            valueName: "characteristic"
        )
    )
    var second: String?

    /// The parsed arguments; a single argument is the characteristic.
    var resolved: (device: String?, characteristic: CharacteristicReference) {
        guard let second else { return (nil, CharacteristicReference(device)) }
        return (device, CharacteristicReference(second))
    }
}
