@_exported public import protocol Bleu.SessionCipherProvider
