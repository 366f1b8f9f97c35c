import Bluejay
import BluejayCommandLine
import BluejayCore
import BluejayCurses
import Foundation

/// An opened device, on a screen: its attributes, or one of them.
struct DeviceScreen {
    typealias Line = TerminalScreen.Line

    /// The width of the titles of facts.
    private static let titleWidth = 12
    private static let maximumPlotHeight = 6

    private let inspection: DeviceInspection
    private let time: Double

    init(_ inspection: DeviceInspection, at time: Double) {
        self.inspection = inspection
        self.time = time
    }

    private var status: String {
        switch inspection.link {
        case .connecting: "connecting…"
        case .ended: "not connected"
        case .connected where inspection.recordingFile != nil: "recording"
        case .connected: inspection.isPaired ? "paired" : "connected"
        }
    }

    // MARK: The tree

    /// Returns the tree of the attributes, with the selected one.
    func page(width: Int, rows: Int) -> InspectorScreen.Page {
        var body: [Line] = []
        if case .ended(let reason) = inspection.link {
            body = reason.printable.wrapped(to: width).prefix(max(1, rows / 2))
                .map { Line($0.truncated(to: width), .red) }
        }
        let all = inspection.rows
        let window = ListSelection.window(
            around: inspection.selectedIndex,
            of: all.count,
            rows: rows - body.count
        )
        body += window.map { line(all[$0], isSelected: $0 == inspection.selectedIndex, width) }
        return InspectorScreen.Page(
            title: inspection.device.displayText,
            status: status,
            body: body
        )
    }

    private func line(_ row: ServiceTree.Row, isSelected: Bool, _ width: Int) -> Line {
        let marker = isSelected ? "> " : "  "
        let name = row.uuid.assignedName.map { " " + $0 } ?? ""
        let title = marker + row.branch + row.uuid.displayText(row.instance) + name
        let selection: TerminalScreen.Style = isSelected ? .reversed : []
        guard let attribute = row.attribute else {
            return Line(fitted(title, width, isSelected), selection.union(.bold))
        }
        let record = inspection[attribute]
        let valueWidth = max(12, width / 3)
        let keys = attribute.operations.keys
        let text =
            title.fitted(to: width - valueWidth - keys.count - 2) + " " + keys + " "
            + Self.value(record, attribute.uuid).truncated(to: valueWidth)
        let style: TerminalScreen.Style =
            record.failure != nil ? .red : record.isListening ? .green : []
        return Line(fitted(text, width, isSelected), style.union(selection))
    }

    private func fitted(_ text: String, _ width: Int, _ isSelected: Bool) -> String {
        isSelected ? text.fitted(to: width) : text.truncated(to: width).trimmedAtEnd
    }

    private static func value(_ record: AttributeRecord, _ uuid: BluetoothUUID) -> String {
        let mark = record.isListening ? "* " : ""
        if let failure = record.failure { return mark + failure.message.printable }
        return mark + (record.newest.map { AttributeRecord.text(of: $0.data, uuid) } ?? "")
    }

    // MARK: An attribute

    /// Returns the facts about the selected attribute, its plot and its latest values.
    func attributePage(width: Int, rows: Int) -> InspectorScreen.Page {
        var body: [Line] = []
        if let attribute = inspection.selectedAttribute {
            let record = inspection[attribute]
            body = facts(attribute, record, width: width)
            let room = rows - body.count - 2
            if attribute.operations.contains(.listen), room > 0 {
                body += [Line("")] + plot(record, width: width, height: room)
            }
            body += history(record, attribute.uuid, width: width, rows: rows - body.count)
        }
        return InspectorScreen.Page(
            title: inspection.device.displayText,
            status: status,
            body: body
        )
    }

    private func facts(
        _ attribute: ValueAttribute,
        _ record: AttributeRecord,
        width: Int
    ) -> [Line] {
        let service = attribute.characteristic.service
        var facts = [
            ("service", service.uuid.displayText(service.instance) + " " + name(service.uuid))
        ]
        if case .characteristic(let characteristic) = attribute {
            facts.append(("properties", characteristic.properties.description))
        }
        if let newest = record.newest {
            facts.append(("value", AttributeRecord.text(of: newest.data, attribute.uuid)))
            facts.append(("bytes", newest.data.hexadecimal))
            if ValueFormat.auto.resolved(for: attribute.uuid) == .hex,
                let text = String(data: newest.data, encoding: .utf8), !text.isEmpty,
                text == text.printable
            {
                facts.append(("text", text))
            }
            facts.append(("age", "\(age(newest.time)) s"))
        }
        if attribute.operations.contains(.listen) {
            facts.append(("values", "\(record.count)\(record.isListening ? ", listening" : "")"))
        }
        if let failure = record.failure { facts.append(("failure", failure.message.printable)) }
        let title = Line(attribute.title.truncated(to: width), .bold)
        return [title]
            + facts.map { fact in
                Line((fact.0.fitted(to: Self.titleWidth) + fact.1).truncated(to: width))
            }
    }

    private func name(_ uuid: BluetoothUUID) -> String { uuid.assignedName ?? "" }

    private func age(_ time: Double) -> Int { Int(max(0, self.time - time)) }

    private func plot(_ record: AttributeRecord, width: Int, height: Int) -> [Line] {
        guard let range = record.plot.range(width: width) else {
            let hint = record.isListening ? "no number yet" : "n listens and plots the numbers"
            return [Line(hint.truncated(to: width), .dim)]
        }
        let title = "\(range.lowerBound.formatted) to \(range.upperBound.formatted)"
        let lines = record.plot.lines(width: width, height: min(height, Self.maximumPlotHeight))
        return [Line(title.truncated(to: width), .dim)] + lines.map { Line($0, .green) }
    }

    /// The values before the newest one, the newest first.
    private func history(
        _ record: AttributeRecord,
        _ uuid: BluetoothUUID,
        width: Int,
        rows: Int
    ) -> [Line] {
        guard record.values.count > 1, rows > 1 else { return [] }
        let earlier = record.values.dropLast().suffix(rows - 1).reversed()
        return [Line("")]
            + earlier.map { value in
                let age = "\(age(value.time)) s ago".fitted(to: Self.titleWidth)
                return Line((age + AttributeRecord.text(of: value.data, uuid)).truncated(to: width))
            }
    }
}
