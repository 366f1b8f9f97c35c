import Bluejay
import CGtk
import Foundation

let bluejay = Bluejay()
let application = gtk_application_new("org.example.HeartRate", G_APPLICATION_DEFAULT_FLAGS)
var label: UnsafeMutablePointer<GtkWidget>?
var beats: [UInt16] = []
var others: Set<String> = []

/// Replaces the cast macros of GTK, which Swift does not import.
func cast<Object, Other>(_ object: UnsafeMutablePointer<Object>?) -> UnsafeMutablePointer<Other>? {
    UnsafeMutableRawPointer(object)?.assumingMemoryBound(to: Other.self)
}

@MainActor
func show(_ text: String) {
    print(text)
    label.map { gtk_label_set_text(OpaquePointer($0), text) }
    if beats.count >= 3, others.count == 2 {
        g_application_quit(cast(application))
    }
}

@MainActor
func begin() {
    let window = gtk_application_window_new(application)
    label = gtk_label_new("no heart rate yet")
    gtk_window_set_child(cast(window), label)
    gtk_window_present(cast(window))

    bluejay.start()
    bluejay.connect(toFirst: .anyService([.heartRate]), within: 20) { result in
        guard case .success = result else { return show("\(result)") }
        bluejay.listen(to: .heartRateMeasurement) { (result: ReadResult<HeartRateReading>) in
            guard case .success(let reading) = result else { return show("\(result)") }
            beats.append(reading.beatsPerMinute)
            show("heart rate \(reading.beatsPerMinute)")
        }
    }

    Task { @MainActor in
        others.insert("task")
        show("a task of the main actor")
    }
    DispatchQueue.main.async {
        others.insert("queue")
        show("the main queue")
    }
}

typealias Activate = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
let activate: Activate = { _, _ in MainActor.assumeIsolated { begin() } }
let callback = unsafeBitCast(activate, to: GCallback.self)
g_signal_connect_data(application, "activate", callback, nil, nil, GConnectFlags(rawValue: 0))
exit(g_application_run(cast(application), 0, nil))
