// swift-tools-version: 6.2

import PackageDescription

// A separate package, so that the library builds without GTK.
let package = Package(
    name: "heart-window",
    dependencies: [
        .package(name: "Bluejay", path: "../..", traits: ["Foundation"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        // Flags only: two modules that include GLib's headers clash, so no module includes GTK's.
        .systemLibrary(
            name: "CGtk4",
            pkgConfig: "gtk4",
            providers: [.apt(["libgtk-4-dev"])]
        ),
        .target(name: "CHeartWindow", dependencies: ["CGtk4"]),
        .executableTarget(
            name: "heart-window",
            dependencies: [
                "CHeartWindow",
                .product(name: "Bluejay", package: "Bluejay"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
    ]
)
