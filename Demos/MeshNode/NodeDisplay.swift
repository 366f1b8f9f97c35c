import BluejayCommandLine
import Foundation

/// The output of the demo: lines, with a bar below them for each file on its way.
@MainActor
final class NodeDisplay {
    private let output: Output
    private let isJSON: Bool
    private let terminal: Terminal
    private let encoder = JSONLines()
    private var bars: [Transfer] = []
    private var shownBars = 0

    init(isJSON: Bool, terminal: Terminal, output: Output) {
        self.isJSON = isJSON
        self.terminal = terminal
        self.output = output
    }

    func show(_ event: NodeEvent) {
        if isJSON {
            if let object = event.object, isWorthALine(event), let line = try? encoder.line(object)
            {
                output.writeLine(line)
            }
            return updateBars(event)
        }
        updateBars(event)
        let line = event.text(on: terminal)
        guard terminal.isInteractive else { return line.map { output.writeLine($0) } ?? () }
        output.write(terminal.erased(shownBars))
        if let line { output.writeLine(line) }
        for bar in bars { output.writeLine(bar.bar()) }
        shownBars = bars.count
    }

    private func updateBars(_ event: NodeEvent) {
        switch event {
        case .progress(let transfer):
            if let place = bars.firstIndex(where: { $0.number == transfer.number }) {
                bars[place] = transfer
            } else {
                bars.append(transfer)
            }
        case .transferred(let transfer, _, _), .notTransferred(let transfer, _):
            bars.removeAll { $0.number == transfer.number }
        default: break
        }
    }

    /// Programs receive the progress of a transfer in steps of 10 %.
    private func isWorthALine(_ event: NodeEvent) -> Bool {
        guard case .progress(let transfer) = event,
            let last = bars.first(where: { $0.number == transfer.number })
        else { return true }
        return transfer.percent / 10 > last.percent / 10
    }
}
