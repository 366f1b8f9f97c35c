import Bluejay
import BluejayCore
import Foundation

extension Player {
    func perform(_ call: Call) {
        guard let bluejay else { return }
        switch call {
        case .start:
            ledger.record("\(name) start")
            bluejay.start()
        case .scan(let scan): self.scan(scan, bluejay)
        case .concurrentScan(let scan): scanConcurrently(scan, bluejay)
        case .watch(let scan): watch(scan, bluejay)
        case .connectToFirst(let limit): connectToFirst(limit, bluejay)
        case .stopScanning:
            ledger.record("\(name) stopScanning")
            bluejay.stopScanning()
        case .connect(let peer, let limit): connect(peer, limit, bluejay)
        case .disconnect(let immediate): disconnect(immediate, bluejay)
        case .read(let attribute, let limit): read(attribute, limit, bluejay)
        case .write(let attribute, let type, let limit): write(attribute, type, limit, bluejay)
        case .listen(let attribute, let option, let isKept, let limit):
            listen(attribute, option, isKept, limit, bluejay)
        case .endListen(let attribute): endListen(attribute, bluejay)
        case .task(let calls): run(calls, on: bluejay)
        case .release(let elsewhere): release(elsewhere: elsewhere)
        case .adapter(let call): perform(call, bluejay)
        default: performOther(call, bluejay)
        }
    }

    private func performOther(_ call: Call, _ bluejay: Bluejay) {
        ledger.record("\(name) \(call)")
        switch call {
        case .cancelEverything(let disconnects):
            if !disconnects { cancellations.cancellationReceived() }
            bluejay.cancelEverything(shouldDisconnect: disconnects)
        case .stop(let restart): stop(bluejay, then: restart)
        case .observe: observe()
        case .stopObserving: stopObserving()
        case .setReconnectMode(let answer): self.reconnectMode = answer
        case .queryEverything: queryEverything(bluejay)
        case .readRSSI: try? bluejay.readRSSI()
        case .settings(let attempts, let broadcasts):
            bluejay.reconnectOptions.maximumAttempts = attempts
            bluejay.broadcastErrorsToListeners = broadcasts
        default: break
        }
    }

    // MARK: Finding and connecting

    func connect(_ peer: Int, _ limit: Int?, _ bluejay: Bluejay) {
        let isBounded = limit != nil && peer < peers.count
        let what = "\(name) connect \(peer + 1)" + (limit.map { " within \($0)" } ?? "")
        let number = ledger.start("connect", what, isBounded: isBounded)
        bluejay.connect(identifier(peer), timeout: timeout(limit)) { [self] result in
            completed(number, result.text)
        }
    }

    private func identifier(_ peer: Int) -> PeripheralIdentifier {
        peer < peers.count ? peers[peer] : .nobody
    }

    func disconnect(_ immediate: Bool, _ bluejay: Bluejay) {
        let number = ledger.start("disconnect", "\(name) disconnect\(immediate ? " at once" : "")")
        bluejay.disconnect(immediate: immediate) { [self] result in
            completed(number, result.text)
        }
    }

    private func scan(_ scan: Scan, _ bluejay: Bluejay) {
        let number = ledger.start("scan", "\(name) scan", isBounded: scan.duration != nil)
        var count = 0
        let discovered: (ScanDiscovery, String) -> ScanAction = { [self] discovery, what in
            count += 1
            ledger.record("\(name) scan \(what) \(count)")
            if ledger.hasEnded(number) {
                ledger.violate("scan: \(what) after stopped", name)
            }
            return count == scan.discoveries ? reply(scan.answer, discovery) : .continue
        }
        bluejay.scan(
            duration: scan.duration.map { Double($0) / 1_000 } ?? 0,
            allowDuplicates: scan.allowsDuplicates,
            serviceIdentifiers: [ServiceIdentifier(uuid: "180D")]
        ) { discovery, _ in
            discovered(discovery, "discovery")
        } expired: { discovery, _ in
            discovered(discovery, "expiry")
        } stopped: { [self] found, error in
            completed(number, "\(found.count) found, \(error.map { "\($0)" } ?? "no error")")
        }
    }

    func reply(_ answer: Scan.Answer, _ discovery: ScanDiscovery) -> ScanAction {
        switch answer {
        case .keepScanning: return .continue
        case .stop: return .stop
        case .blacklist: return .blacklist
        case .connect:
            let number = ledger.start("connect of a scan", "\(name) connect of a scan")
            return .connect(discovery, .seconds(0.5), .default) { [self] result in
                completed(number, result.text)
            }
        }
    }

    // MARK: Characteristics

    func read(_ attribute: Attribute, _ limit: Int?, _ bluejay: Bluejay) {
        let number = ledger.start("read", "\(name) read \(attribute.rawValue)")
        bluejay.read(from: attribute.identifier, timeout: timeout(limit)) {
            [self] (result: ReadResult<Data>) in
            completed(number, result.text)
        }
    }

    private func write(
        _ attribute: Attribute,
        _ type: WriteType,
        _ limit: Int?,
        _ bluejay: Bluejay
    ) {
        let number = ledger.start("write", "\(name) write \(attribute.rawValue)")
        bluejay.write(
            to: attribute.identifier,
            value: Numbers.next(),
            type: type,
            timeout: timeout(limit)
        ) { [self] result in
            completed(number, result.text)
        }
    }

    private func listen(
        _ attribute: Attribute,
        _ option: MultipleListenOption,
        _ isKept: Bool,
        _ limit: Int?,
        _ bluejay: Bluejay
    ) {
        let listen = PlayedListen(
            attribute.identifier,
            isKept: isKept,
            "\(name) listen \(attribute.rawValue) (\(listens.count))\(isKept ? ", kept" : "")",
            cancellations,
            ledger
        )
        listens.append(listen)
        bluejay.listen(
            to: attribute.identifier,
            multipleListenOption: option,
            isKept: isKept,
            timeout: timeout(limit)
        ) { (result: ReadResult<UInt32>) in
            switch result {
            case .success(let value): listen.received(value)
            case .failure(let error): listen.failed(error)
            }
        } installed: {
            listen.isInstalled = true
        }
    }

    private func endListen(_ attribute: Attribute, _ bluejay: Bluejay) {
        let number = ledger.start("endListen", "\(name) endListen \(attribute.rawValue)")
        let ending = listens.filter { $0.characteristic == attribute.identifier && $0.isOpen }
        for listen in ending { listen.endRequested() }
        bluejay.endListen(to: attribute.identifier) { [self] result in
            switch result {
            case .success: for listen in ending { listen.endingSucceeded() }
            case .failure: for listen in ending { listen.endingFailed() }
            }
            completed(number, result.text)
        }
    }

    // MARK: Stopping

    private func stop(_ bluejay: Bluejay, then restart: Restart) {
        let (manager, peripheral) = bluejay.stopAndExtractBluetoothState()
        endListens("stopAndExtractBluetoothState")
        switch restart {
        case .stays: break
        case .fresh:
            bluejay.start()
            observe()
        case .handedOver:
            bluejay.start(mode: .use(manager: manager, peripheral: peripheral))
            observe()
        }
    }

    private func queryEverything(_ bluejay: Bluejay) {
        _ = bluejay.isConnecting
        _ = bluejay.isDisconnecting
        _ = bluejay.isScanning
        _ = bluejay.shouldAutoReconnect
        _ = bluejay.isBluetoothStateUpdateImminent
        _ = bluejay.services
        _ = try? bluejay.isListening(to: Attribute.numbers.identifier)
        _ = try? bluejay.maximumWriteValueLength(for: .withoutResponse)
        _ = try? bluejay.mtu()
        _ = try? bluejay.peripheralDetails()
        if !bluejay.hasStarted, bluejay.isConnected {
            ledger.violate("connected without a start", name)
        }
    }

    func timeout(_ limit: Int?) -> Timeout {
        limit.map { .seconds(Double($0) / 1_000) } ?? .none
    }
}
