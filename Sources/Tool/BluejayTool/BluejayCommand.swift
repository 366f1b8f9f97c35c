import ArgumentParser
import BluejayCore

/// `bluejay`: Bluetooth Low Energy from a terminal.
@main
struct BluejayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluejay",
        abstract: "Bluetooth Low Energy from a terminal.",
        discussion: """
            A device is named by its name or the beginning of it, by its address, or by its identifier; \
            left out, or -, it is the one that was used last over this bus, which stands in \
            $XDG_STATE_HOME/bluejay/last-device. write, pair and forget need a device or -. A characteristic is named by its UUID (2A37) or its \
            whole assigned name (heart-rate-measurement), with its service in front where that is needed \
            (180F/2A19).

            The link is closed at the end, also by Ctrl-C and SIGTERM; one that was there before stays. Colours are for terminals only, and not with \
            NO_COLOR. `bluejay --generate-completion-script bash` (zsh, fish) writes what completes \
            the words of a command line.

            EXIT STATUS
              0    done; also when nobody reads the output any more
              1    it failed, and standard error says why
              2    Bluetooth cannot be used
              3    the device was not found, or does not answer
              64   the command line is wrong
              129  ended because the terminal was closed
              130  ended by Ctrl-C
              143  ended by SIGTERM
            """,
        version: BluejayVersion.current,
        subcommands: [
            ScanCommand.self, AdaptersCommand.self, ServicesCommand.self, ReadCommand.self,
            WriteCommand.self, ListenCommand.self, BatteryCommand.self, InfoCommand.self,
            PairCommand.self, ForgetCommand.self, UartCommand.self, ChannelCommand.self,
            ServeCommand.self, RecordCommand.self, ReplayCommand.self, DoctorCommand.self,
        ]
    )
}
