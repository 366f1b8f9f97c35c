import BluejayGATTServer
import Foundation

let level = LocalCharacteristic(uuid: "FFE1", value: Data([100]))
let lamp = LocalService(uuid: "FFE0", characteristics: [level])
await GATTServer.main(serving: [lamp], advertising: LocalAdvertisement(name: "Lamp"))
