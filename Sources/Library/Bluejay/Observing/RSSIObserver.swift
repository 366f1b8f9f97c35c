// Requires Foundation for `NSNumber`, which CoreBluetooth uses for the signal strength.
#if Foundation || Encryption
    public import Foundation

    /// An observer of signal strength readings.
    public protocol RSSIObserver: AnyObject {
        /// Reports a reading of the connected peripheral's signal strength.
        ///
        /// - Parameters:
        ///   - peripheral: The connected peripheral.
        ///   - RSSI: The signal strength in dBm; meaningless with an error.
        ///   - error: The reason for a failed reading, or `nil`.
        func didReadRSSI(
            from peripheral: PeripheralIdentifier,
            RSSI: NSNumber,
            error: (any Error)?
        )
    }
#endif
