import BluejayDeviceFile

struct RecordingJSON: RecordContent {
    static let type = RecordType.recording
    let file: String
    let services: Int
    let characteristics: Int
    let notifications: Int

    init(_ device: DeviceFile, file: String) {
        self.file = file
        services = device.services.count
        characteristics = device.services.flatMap(\.characteristics).count
        notifications = device.notifications.count
    }
}
