import Testing

@testable import BluejayDBus

@Suite("Object paths")
struct ObjectPathTests {
    struct Row: Swift.Sendable {
        let path: ObjectPath
        let parent: ObjectPath?
        let name: String
    }

    @Test(
        "A path consists of its parent and a name; the root has neither",
        arguments: [
            Row(path: "/", parent: nil, name: ""),
            Row(path: "/a", parent: .root, name: "a"),
            Row(path: "/a/b_1", parent: "/a", name: "b_1"),
            Row(path: "/org/bluez/hci0", parent: "/org/bluez", name: "hci0"),
        ]
    )
    func steps(row: Row) {
        #expect(row.path.parent == row.parent)
        #expect(row.path.name == row.name)
        if let parent = row.parent { #expect(parent.child(row.name) == row.path) }
    }

    @Test(
        "The first elements of a path form its prefix, which is nil if the path has too few elements"
    )
    func first() {
        let path: ObjectPath = "/org/bluez/hci0"
        #expect(path.first(1) == "/org")
        #expect(path.first(2) == "/org/bluez")
        #expect(path.first(3) == path)
        #expect(path.first(4) == nil)
        #expect(path.first(0) == nil)
        #expect(ObjectPath.root.first(1) == nil)
    }

    @Test(
        "A path is below each of its ancestors, and not below itself or a path with the same prefix"
    )
    func below() {
        let path: ObjectPath = "/org/bluez/hci1"
        for upper: ObjectPath in ["/", "/org", "/org/bluez"] { #expect(path.isBelow(upper)) }
        for other: ObjectPath in ["/org/bluez/hci1", "/org/blue", "/or", "/org/bluez/hci1/dev_A"] {
            #expect(!path.isBelow(other))
        }
    }
}
