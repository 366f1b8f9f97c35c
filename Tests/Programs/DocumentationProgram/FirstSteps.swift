// swift-format-ignore
// document: 2 import
import Bluejay
// end

/// Runs the first three blocks of the document in a program on the system bus and the main loop.
func takeFirstSteps() {
    // document: 3 create an instance
    let bluejay = Bluejay()
    // end
    let witness = Witness()
    bluejay.register(connectionObserver: witness)
    printLine("started \(bluejay.hasStarted)")
    // document: 4 start
    bluejay.start()
    // end
    printLine("started \(bluejay.hasStarted)")
    MainLoop.main.run()
}
