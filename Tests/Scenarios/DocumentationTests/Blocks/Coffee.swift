// swift-format-ignore-file

// document: 22 Sendable
import Foundation
import Bluejay

struct Coffee: Sendable {

    let data: UInt8

    init(coffee: CoffeeEnum) {
        data = UInt8(coffee.rawValue)
    }

    func toBluetoothData() -> Data {
        return Bluejay.combine(sendables: [data])
    }

}
// end

enum CoffeeEnum: Int {
    case espresso, filter, cappuccino
}
