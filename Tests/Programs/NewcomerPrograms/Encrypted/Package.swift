// swift-tools-version: 6.2
import PackageDescription

// A package whose calls of Bleu are encrypted.
let package = Package(
    name: "encrypted",
    dependencies: [
        .package(path: "../bluejay")
    ],
    targets: [
        .executableTarget(
            name: "encrypted",
            dependencies: [
                .product(name: "Bleu", package: "bluejay"),
                .product(name: "BleuEncryption", package: "bluejay"),
            ]
        )
    ]
)
