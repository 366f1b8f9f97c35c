// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "heart",
    dependencies: [
        .package(path: "../bluejay")  // a clone of this repository, beside your package
    ],
    targets: [
        .executableTarget(
            name: "heart",
            dependencies: [.product(name: "Bluejay", package: "bluejay")]  // the clone's folder
        )
    ]
)
