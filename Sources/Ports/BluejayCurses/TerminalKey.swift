internal import CBluejayCurses

/// A key pressed on a terminal.
package enum TerminalKey: Hashable, Sendable {
    /// A printable character.
    case character(Character)
    case up, down, pageUp, pageDown, home, end
    case enter, escape, backspace, tab
    /// Ctrl with a letter, in lower case.
    case control(Character)
    /// A key without a meaning here.
    case other
    /// The terminal is gone.
    case endOfInput

    /// Translates a key of the shim; `nil` means that no key is available.
    init?(kind: Int32, scalar: UInt32) {
        switch Int(kind) {
        case BLUEJAY_KEY_ABSENT: return nil
        case BLUEJAY_KEY_END: self = .endOfInput
        case BLUEJAY_KEY_CHARACTER: self.init(scalar: scalar)
        case BLUEJAY_KEY_UP: self = .up
        case BLUEJAY_KEY_DOWN: self = .down
        case BLUEJAY_KEY_PAGE_UP: self = .pageUp
        case BLUEJAY_KEY_PAGE_DOWN: self = .pageDown
        case BLUEJAY_KEY_HOME: self = .home
        case BLUEJAY_KEY_LAST: self = .end
        case BLUEJAY_KEY_ENTER: self = .enter
        case BLUEJAY_KEY_BACKSPACE: self = .backspace
        default: self = .other
        }
    }

    private init(scalar: UInt32) {
        switch scalar {
        case 0x09: self = .tab
        case 0x1B: self = .escape
        case 0x01...0x1A:
            let letter = Unicode.Scalar(UInt8(scalar) + 0x60)
            self = .control(Character(letter))
        default:
            guard let scalar = Unicode.Scalar(scalar), scalar.properties.generalCategory != .control
            else {
                self = .other
                return
            }
            self = .character(Character(scalar))
        }
    }
}
