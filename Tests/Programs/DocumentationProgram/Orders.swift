import Bluejay
import Foundation

private let heartRateService = ServiceIdentifier(uuid: "180D")
private let heartRate = CharacteristicIdentifier(uuid: "2A37", service: heartRateService)
private let location = CharacteristicIdentifier(uuid: "2A38", service: heartRateService)

/// Starts an app and runs the commands of standard input on the main loop, until the process is killed.
func run<App: AnyObject>(_ app: App, _ begin: (App) -> Void) {
    let witness = Witness()
    bluejay.register(connectionObserver: witness)
    begin(app)
    printLine("restoration \(bluejay.isBackgroundRestorationEnabled)")
    Thread.detachNewThread {
        while let order = readLine() { MainLoop.main.post { execute(order) } }
    }
    // The library holds observers and restorers weakly.
    withExtendedLifetime((app, witness)) { MainLoop.main.run() }
}

private func execute(_ order: String) {
    switch order {
    case "connect":
        bluejay.scan(serviceIdentifiers: [heartRateService]) { discovery, _ in
            .connect(discovery) { _ in }
        } stopped: { _, _ in
        }
    case "listen":
        bluejay.listen(to: heartRate) { (result: ReadResult<Data>) in
            if case .success(let value) = result { printLine("heard \(Array(value))") }
        }
        settle("listening")
    default: settle(order)
    }
}

/// Prints `text` when all earlier operations are done.
private func settle(_ text: String) {
    bluejay.endListen(to: location) { _ in printLine(text) }
}
