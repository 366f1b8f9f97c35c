import Bluejay
import BluejayCommandLine
import BluejayCurses
import Dispatch
import Foundation

/// The full-screen program: passes keys and Bluetooth events to its state, performs the actions and draws.
@MainActor
final class Inspector {
    /// The pause between two drawings without a key, in seconds.
    private static let interval = 0.25

    private let adapter: String?
    private let timeout: Double
    private let console: Console
    private let screen: TerminalScreen
    private let startTime = ContinuousClock.now
    private let events: AsyncStream<InspectorEvent>
    private let continuation: AsyncStream<InspectorEvent>.Continuation
    private let scanner: DeviceScanner
    private var state = InspectorState()
    private var device: InspectedDevice?
    /// Closes the former connection, which a new one waits for.
    private var closing: Task<Void, Never>?
    private var drawn: InspectorScreen?

    /// Opens the screen.
    ///
    /// - Parameters:
    ///   - session: A session that connects to no device.
    ///   - adapter: The adapter, or `nil` for the first that is on.
    ///   - timeout: The time limit of a connection in seconds.
    /// - Throws: ``ToolFailure`` if the terminal is unknown.
    init(_ session: ToolSession, on adapter: String?, timeout: Double) throws {
        guard let screen = TerminalScreen(hasColor: session.console.terminal.hasColor) else {
            throw ToolFailure("the terminal cannot show the inspector")
        }
        self.screen = screen
        self.adapter = adapter
        self.timeout = timeout
        console = session.console
        let (events, continuation) = AsyncStream.makeStream(of: InspectorEvent.self)
        self.events = events
        self.continuation = continuation
        scanner = DeviceScanner(session.bluejay) { continuation.yield($0) }
    }

    /// Runs until the user quits, or the task is cancelled.
    ///
    /// - Parameter first: The device to open first; `nil` shows the list of devices.
    func run(opening first: PeripheralIdentifier?) async {
        defer { screen.close() }
        console.errorReceiver = { [continuation] text in
            let text = text.hasPrefix("bluejay: ") ? String(text.dropFirst(9)) : text
            continuation.yield(.message(.init(text: text)))
        }
        defer { console.errorReceiver = nil }
        let keys = readKeys()
        let timer = redraw()
        let changes = watchSize()
        scanner.start()
        if let first { perform(state.open(first)) }
        draw()
        for await event in events {
            let actions = state.handle(event, at: time)
            perform(actions)
            if actions.contains(.quit) { break }
            if event.isDrawnAtOnce { draw() }
        }
        keys.cancel()
        timer.cancel()
        changes.cancel()
        scanner.end()
        screen.close()
        await device?.close()
        await closing?.value
    }

    private var time: Double { (ContinuousClock.now - startTime) / .seconds(1) }

    // MARK: The terminal

    private func readKeys() -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        source.setEventHandler {
            MainActor.assumeIsolated { [weak self] in
                guard let self else { return }
                while let key = screen.nextKey() {
                    continuation.yield(.key(key))
                    if key == .endOfInput { return source.cancel() }
                }
            }
        }
        source.resume()
        return source
    }

    private func redraw() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.setEventHandler { MainActor.assumeIsolated { [weak self] in self?.draw() } }
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
        timer.resume()
        return timer
    }

    private func watchSize() -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: .main)
        source.setEventHandler { MainActor.assumeIsolated { [weak self] in self?.draw() } }
        source.resume()
        return source
    }

    private func draw() {
        let size = console.terminal.size
        let picture = InspectorScreen(
            state,
            at: time,
            size: .init(columns: size.columns, rows: size.rows)
        )
        guard picture != drawn else { return }
        let isUnicode = screen.isUnicode
        let lines = picture.lines.map {
            isUnicode ? $0 : TerminalScreen.Line($0.text.asciiLookalike, $0.style)
        }
        var cursor: (column: Int, row: Int)?
        if let column = picture.cursorColumn, let row = picture.cursorRow { cursor = (column, row) }
        if screen.show(lines, cursor: cursor, size: size) { drawn = picture }
    }

    // MARK: Actions

    private func perform(_ actions: [InspectorAction]) {
        for action in actions {
            switch action {
            case .connect(let identifier): connect(to: identifier)
            case .disconnect:
                closeDevice()
                scanner.start()
            case .read(let attributes): device?.read(attributes)
            case .write(let value, let attribute): device?.write(value, to: attribute)
            case .listen(let characteristic): device?.listen(to: characteristic)
            case .endListen(let characteristic): device?.endListen(to: characteristic)
            case .pair: device?.pair()
            case .reply(let number, let decision): device?.reply(number, decision)
            case .record(let file): device?.record(in: file)
            case .endRecording: device?.endRecording()
            case .repaint:
                drawn = nil
                screen.repaint()
            case .suspend:
                screen.suspend()
                drawn = nil
            case .quit: break
            }
        }
    }

    private func connect(to identifier: PeripheralIdentifier) {
        scanner.pause()
        closeDevice()
        let row = state.devices.device(identifier)
        let isAdvertised = row?.discovery.isConnected == false
        let device = InspectedDevice(
            ToolSession(adapter, console, ExitCondition(watchesSignals: false)),
            timeout: timeout,
            advertisement: isAdvertised ? row?.discovery.advertisement : nil
        ) { [continuation] in continuation.yield($0) }
        self.device = device
        let closing = closing
        Task {
            await closing?.value
            device.connect(to: identifier)
        }
    }

    private func closeDevice() {
        guard let device else { return }
        self.device = nil
        device.mute()
        let earlier = closing
        closing = Task {
            await earlier?.value
            await device.close()
        }
    }
}

extension InspectorEvent {
    /// Whether the user waits for the effect; frequent events wait for the next drawing.
    fileprivate var isDrawnAtOnce: Bool {
        switch self {
        case .scanned, .notified: false
        default: true
        }
    }
}
