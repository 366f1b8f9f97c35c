import Bleu
import Testing

#if Encryption
    import BleuEncryption
#endif

/// The sessions of BleuEncryption, or `nil` in a build without the trait Encryption.
var encryptedSessions: (any SessionCipherProvider)? {
    #if Encryption
        AESGCMSessions()
    #else
        nil
    #endif
}

extension Trait where Self == ConditionTrait {
    /// Skips a test in a build without BleuEncryption.
    static var encrypted: Self {
        .enabled(if: encryptedSessions != nil, "BleuEncryption is built with --traits Encryption")
    }
}
