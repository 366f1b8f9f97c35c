#if Foundation
    public import Foundation

    extension BluejayError: CustomNSError {
        /// The message under `NSLocalizedDescriptionKey`.
        public var errorUserInfo: [String: Any] {
            // Foundation on Linux takes the description of a `CustomNSError` from here alone.
            [NSLocalizedDescriptionKey: description]
        }
    }
#endif
