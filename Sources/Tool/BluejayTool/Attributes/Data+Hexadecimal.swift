import BluejayCore
import Foundation

extension Data {
    /// Two digits for each byte, in lower case.
    var hexadecimal: String {
        map { Hexadecimal.text(UInt64($0), digits: 2, isUppercase: false) }.joined()
    }
}
