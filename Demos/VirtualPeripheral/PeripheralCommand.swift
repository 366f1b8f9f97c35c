/// A command that a person can type while the peripheral runs.
enum PeripheralCommand: String, CaseIterable {
    case chirp, add, remove, help, quit

    /// The usage, one line per command.
    static let usage = """
        chirp    send an empty notification from the chirp service
        add      publish the chirp service again
        remove   remove the chirp service
        help     show these commands
        quit     end the program
        """
}
