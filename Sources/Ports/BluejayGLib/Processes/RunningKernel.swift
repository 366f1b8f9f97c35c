internal import CBluejay

/// The kernel that runs this process.
package enum RunningKernel {
    /// The release, as `uname -r` prints it: `6.1.0-56-amd64`.
    package static var release: String { unsafe String(cString: bluejay_kernel_release()) }

    /// The build, as `uname -v` prints it: `#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-11-16)`.
    package static var build: String { unsafe String(cString: bluejay_kernel_build()) }
}
