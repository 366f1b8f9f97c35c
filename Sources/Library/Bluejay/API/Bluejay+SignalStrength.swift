// Requires Foundation for `NSNumber`, which CoreBluetooth uses for the signal strength.
#if Foundation || Encryption
    internal import BluejayBlueZ
    internal import BluejayGLib
    internal import Foundation

    extension Bluejay {
        /// Adds an observer of the signal strength, or moves it to the end; held weakly.
        public func register(rssiObserver: any RSSIObserver, isolation: (any Actor)? = #isolation) {
            let isolation = ObserverIsolation(isolation)
            change { $0.observers.register(rssiObserver, isolation) }
        }

        /// Removes an observer of the signal strength.
        public func unregister(rssiObserver: any RSSIObserver) {
            change { $0.observers.unregister(rssiObserver) }
        }

        /// Reads the signal strength of the connected peripheral.
        ///
        /// BlueZ measures advertisements only: a value exists while the peripheral advertises and a scan
        /// runs. Otherwise the reading fails with ``BluejayError/notSupported(_:)``.
        ///
        /// - Throws: ``BluejayError/notConnected`` or ``BluejayError/backgroundTaskRunning``. All other
        ///   results go to each ``RSSIObserver``, once per call.
        @available(*, noasync, message: "import BluejayAsync, and await it in a function")
        public func readRSSI() throws {
            guard mainLoop.isElsewhere else { return try instance.reportRSSI() }
            guard !TaskThread.isCurrent else {
                throw BluejayError.backgroundTaskRunning.during(.readRSSI)
            }
            guard let peripheral = connectedPeripheral else { throw BluejayError.notConnected }
            mainLoop.relay { [instance] in
                do throws(BluejayError) {
                    try instance.reportRSSI()
                } catch {
                    // The published state was outdated.
                    instance.reportRSSI(127, of: peripheral, error)
                }
            }
        }
    }

    extension Instance {
        /// Reports the signal strength to the observers, on a later iteration.
        fileprivate func reportRSSI() throws(BluejayError) {
            var rssi = 127
            var reason: BluejayError?
            guard !gate.isRunningTask else { throw .backgroundTaskRunning.during(.readRSSI) }
            do {
                rssi = try link.rssi()
            } catch {
                guard error.code == .notSupported else { throw error }
                reason = error
            }
            guard let peripheral = link.peripheral else { throw .notConnected }
            let instance = UncheckedTransfer(self)
            context.post { [rssi, reason] in instance.value.reportRSSI(rssi, of: peripheral, reason)
            }
        }

        fileprivate func reportRSSI(
            _ rssi: Int,
            of peripheral: PeripheralIdentifier,
            _ reason: BluejayError?
        ) {
            observers.notifyRSSI {
                $0.didReadRSSI(from: peripheral, RSSI: NSNumber(value: rssi), error: reason)
            }
        }
    }
#endif
