#if Foundation || Encryption
    public import Foundation

    extension BluejayError: CustomNSError {
        /// The message under `NSLocalizedDescriptionKey`.
        public var errorUserInfo: [String: Any] {
            // Foundation on Linux reads the description of a `CustomNSError` only from this dictionary.
            [NSLocalizedDescriptionKey: description]
        }
    }
#endif
