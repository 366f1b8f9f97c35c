package import ArgumentParser

/// What several demos understand.
package struct RunOptions: ParsableArguments {
    @Option(help: "The adapter: a name (hci0) or an address. Default: the first that is on.")
    package var adapter: String?

    @Option(name: .customLong("for"), help: "End after this many seconds.")
    package var seconds: Double?

    @Flag(help: "Write one JSON object a line.")
    package var json = false

    package init() {}

    package func validate() throws {
        if let seconds, seconds.isNaN || seconds <= 0 {
            throw ValidationError("--for takes a number of seconds above 0")
        }
    }
}
