import ArgumentParser
import Bluejay
import BluejayCommandLine
import BluejayCurses
import Foundation

/// The decisions of the inspector: events change it and return actions.
///
/// The caller passes the time in seconds from any fixed origin.
struct InspectorState {
    typealias Message = InspectorEvent.Message

    private(set) var devices = DeviceList()
    /// The opened device; `nil` shows the list of devices.
    private(set) var inspection: DeviceInspection?
    private(set) var dialog: InspectorDialog?
    /// The text below the list, until the next key.
    private(set) var message: Message?
    /// The reason that Bluetooth is unavailable, or `nil`.
    private(set) var unavailability: String?
    private(set) var showsHelp = false

    /// Opens a device, as Enter in the list does.
    mutating func open(_ device: PeripheralIdentifier) -> [InspectorAction] {
        inspection = DeviceInspection(device)
        return [.connect(device)]
    }

    mutating func handle(_ event: InspectorEvent, at time: Double) -> [InspectorAction] {
        switch event {
        case .key(let key): return handle(key, at: time)
        case .bluetooth(let reason): unavailability = reason
        case .scanned(let device, let isReport):
            devices.update(device, at: time, isReport: isReport)
        case .connected(let device, let services, let isPaired):
            inspection?.connected(device, services, isPaired: isPaired)
        case .disconnected(let reason): disconnected(reason)
        case .servicesChanged(let services): inspection?.setServices(services)
        case .read(let attribute, .success(let data)):
            inspection?.add(data, to: attribute, at: time)
        case .read(let attribute, .failure(let failure)):
            inspection?.fail(attribute, failure)
            message = Message(text: failure.message, isFailure: true)
        case .wrote(let data, let attribute, let failure): wrote(data, attribute, failure)
        case .notified(let characteristic, let data):
            guard let attribute = inspection?.attribute(characteristic) else { break }
            inspection?.add(data, to: attribute, at: time)
        case .listenFailed(let characteristic, let failure):
            guard let attribute = inspection?.attribute(characteristic) else { break }
            inspection?.setListening(false, to: attribute)
            message = Message(text: failure.message, isFailure: true)
        case .paired(let device):
            inspection?.renamed(device)
            inspection?.isPaired = true
            message = Message(text: "paired with \(device.displayText)")
        case .pairingRequested(let number, let prompt): dialog = .reply(number, prompt)
        case .pairingRequestEnded(let number):
            if case .reply(number, _)? = dialog?.purpose { dialog = nil }
        case .recordingEnded(let result):
            inspection?.recordingFile = nil
            message = result
        case .message(let text): message = text
        }
        return []
    }

    private mutating func disconnected(_ reason: String) {
        inspection?.disconnected(reason: reason)
        if dialog?.purpose != .filter { dialog = nil }
    }

    private mutating func wrote(
        _ data: Data,
        _ attribute: ValueAttribute,
        _ failure: ToolFailure?
    ) {
        let size = data.count == 1 ? "1 byte" : "\(data.count) bytes"
        message =
            failure.map { Message(text: $0.message, isFailure: true) }
            ?? Message(text: "wrote \(size) to \(attribute.title)")
    }

    private mutating func handle(_ key: TerminalKey, at time: Double) -> [InspectorAction] {
        switch key {
        case .endOfInput: return [.quit]
        case .control("l"): return [.repaint]
        case .control("z"): return [.suspend]
        default: break
        }
        message = nil
        if showsHelp {
            showsHelp = false
            return []
        }
        if let dialog { return handle(key, in: dialog) }
        switch key {
        case .character("q"): return [.quit]
        case .character("?"):
            showsHelp = true
            return []
        default: break
        }
        return inspection == nil ? handleInList(key, at: time) : handleInDevice(key)
    }

    // MARK: Pages

    private mutating func handleInList(_ key: TerminalKey, at time: Double) -> [InspectorAction] {
        switch key {
        case .enter:
            guard let device = devices.selection(at: time) else { return [] }
            devices.select(device.identifier)
            return open(device.named)
        case .character("/"):
            devices.filter = ""
            dialog = .filter()
        case .escape, .backspace: devices.filter = ""
        default: devices.move(key, at: time)
        }
        return []
    }

    private mutating func handleInDevice(_ key: TerminalKey) -> [InspectorAction] {
        guard let inspection else { return [] }
        switch key {
        case .escape, .backspace:
            if inspection.showsAttribute {
                self.inspection?.showsAttribute = false
                return []
            }
            self.inspection = nil
            return [.disconnect]
        case .enter:
            if case .ended = inspection.link {
                self.inspection?.link = .connecting
                return [.connect(inspection.device)]
            }
            self.inspection?.showsAttribute = inspection.selectedAttribute != nil
            return []
        default:
            if ListSelection.index(after: key, from: 0, of: 1) != nil {
                if !inspection.showsAttribute { self.inspection?.move(key) }
                return []
            }
            return operate(key, inspection)
        }
    }

    private mutating func operate(
        _ key: TerminalKey,
        _ inspection: DeviceInspection
    ) -> [InspectorAction] {
        guard ["r", "R", "w", "n", "p", "c"].contains(where: { key == .character($0) }) else {
            return []
        }
        guard inspection.link == .connected else { return fail("not connected") }
        switch key {
        case .character("R"): return [.read(inspection.readableAttributes)]
        case .character("p"):
            dialog = .pair(with: inspection.name)
            return []
        case .character("c"):
            if inspection.recordingFile != nil { return [.endRecording] }
            dialog = .recording()
            return []
        default: break
        }
        guard let attribute = inspection.selectedAttribute else {
            return fail("select a characteristic or a descriptor")
        }
        switch key {
        case .character("r"):
            guard attribute.operations.contains(.read) else {
                return fail("\(attribute.title) cannot be read")
            }
            return [.read([attribute])]
        case .character("w"):
            guard attribute.operations.contains(.write) else {
                return fail("\(attribute.title) cannot be written")
            }
            dialog = .value(attribute, .hex)
            return []
        default: return listen(attribute, inspection)
        }
    }

    private mutating func listen(
        _ attribute: ValueAttribute,
        _ inspection: DeviceInspection
    ) -> [InspectorAction] {
        guard attribute.operations.contains(.listen) else {
            return fail("\(attribute.title) does not notify")
        }
        guard inspection.recordingFile == nil else {
            return fail("a recording is running; c ends it")
        }
        let isListening = inspection[attribute].isListening
        self.inspection?.setListening(!isListening, to: attribute)
        let characteristic = attribute.characteristic
        return [isListening ? .endListen(characteristic) : .listen(characteristic)]
    }

    private mutating func fail(_ text: String) -> [InspectorAction] {
        message = Message(text: text, isFailure: true)
        return []
    }

    // MARK: Dialogs

    private mutating func handle(
        _ key: TerminalKey,
        in dialog: InspectorDialog
    ) -> [InspectorAction] {
        if key == .escape { return cancel(dialog) }
        guard var input = dialog.input else { return answer(key, dialog) }
        if input.edit(key) {
            self.dialog?.input = input
            if dialog.purpose == .filter { devices.filter = input.text }
        } else if key == .tab, case .value(let attribute, let format) = dialog.purpose {
            self.dialog = .value(attribute, format.next, input: input)
        } else if key == .enter {
            return submit(input.text, dialog.purpose)
        }
        return []
    }

    private mutating func cancel(_ dialog: InspectorDialog) -> [InspectorAction] {
        self.dialog = nil
        switch dialog.purpose {
        case .filter: devices.filter = ""
        case .write, .value: message = Message(text: "nothing was written")
        case .reply(let number, _): return [.reply(number, .reject)]
        case .pair, .recording: break
        }
        return []
    }

    /// Answers a question with one key: only y is consent.
    private mutating func answer(
        _ key: TerminalKey,
        _ dialog: InspectorDialog
    ) -> [InspectorAction] {
        if case .reply = dialog.purpose { return [] }
        guard key == .character("y") || key == .character("Y") else { return cancel(dialog) }
        self.dialog = nil
        switch dialog.purpose {
        case .write(let data, let attribute): return [.write(data, attribute)]
        case .pair:
            message = Message(text: "pairing…")
            return [.pair]
        case .filter, .value, .recording, .reply: return []
        }
    }

    private mutating func submit(
        _ text: String,
        _ purpose: InspectorDialog.Purpose
    ) -> [InspectorAction] {
        switch purpose {
        case .filter: dialog = nil
        case .value(let attribute, let format):
            do {
                let data = try format.bytes(of: text, for: attribute.uuid)
                dialog = .write(data, to: attribute, of: inspection?.name ?? "")
            } catch {
                return fail(Self.reason(error).printable)
            }
        case .recording: return record(text)
        case .reply(let number, let prompt):
            guard let decision = prompt.decision(text) else {
                return fail("invalid answer")
            }
            dialog = nil
            return [.reply(number, decision)]
        case .write, .pair: break
        }
        return []
    }

    private mutating func record(_ file: String) -> [InspectorAction] {
        guard !file.isEmpty else { return fail("type the name of a file") }
        dialog = nil
        let listened = inspection?.listenedCharacteristics ?? []
        for attribute in listened.compactMap({ inspection?.attribute($0) }) {
            inspection?.setListening(false, to: attribute)
        }
        inspection?.recordingFile = file
        return listened.map { .endListen($0) } + [.record(file: file)]
    }

    private static func reason(_ error: any Error) -> String {
        (error as? ValidationError)?.message ?? ToolFailure(error).message
    }
}
