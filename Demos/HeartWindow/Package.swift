// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that the library can be built where there is no GTK.
let package = Package(
    name: "heart-window",
    dependencies: [
        .package(name: "Bluejay", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        // Flags only: no header of GTK is in a module, since two modules with GLib's headers clash.
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
