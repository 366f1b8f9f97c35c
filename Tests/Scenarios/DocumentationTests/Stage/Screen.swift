import Bluejay

/// An ordinary class of an app that contains the document's code.
///
/// Records Bluetooth events as `available true`, `connected Gadget`, `disconnected Gadget`.
class Screen {
    let bluejay: Bluejay
    let notes: Notes
    let tableView: TableView
    private let witness: Witness

    required init(_ bluejay: Bluejay, _ notes: Notes) {
        self.bluejay = bluejay
        self.notes = notes
        tableView = TableView(notes)
        witness = Witness(notes)
        watch()
    }

    func watch() { bluejay.register(connectionObserver: witness) }

    /// Finds the first peripheral with the heart rate service; records `found Gadget`.
    func find(_ found: @escaping (PeripheralIdentifier) -> Void) {
        bluejay.scan(serviceIdentifiers: [heartRateService]) { discovery, _ in
            found(discovery.peripheralIdentifier)
            return .stop
        } stopped: { [notes] discoveries, _ in
            notes.write("found \(discoveries.first?.peripheralIdentifier.name ?? "nothing")")
        }
    }

    /// Finds the peripheral and connects to it; records `connected Gadget`, or the error.
    func findAndConnect() {
        find { [bluejay, notes] peripheral in
            bluejay.connect(peripheral) { result in
                if case .failure(let error) = result { notes.write("not connected: \(error)") }
            }
        }
    }
}

private final class Witness: ConnectionObserver {
    private let notes: Notes

    init(_ notes: Notes) { self.notes = notes }

    func bluetoothAvailable(_ available: Bool) { notes.write("available \(available)") }
    func connected(to peripheral: PeripheralIdentifier) {
        notes.write("connected \(peripheral.name)")
    }
    func disconnected(from peripheral: PeripheralIdentifier) {
        notes.write("disconnected \(peripheral.name)")
    }
}

/// Replaces `UITableView`.
final class TableView {
    private let notes: Notes

    init(_ notes: Notes) { self.notes = notes }

    func reloadData() { notes.write("table reloaded") }
}

/// Replaces `UITableViewCell`.
final class TableViewCell {
    final class Label {
        var text: String?
    }

    let detailTextLabel: Label? = Label()
}
