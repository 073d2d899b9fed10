//! Of `alloc`.

use rise_opt::alloc::*;

#[test]
fn the_limit_is_that_of_the_groups_around() {
    let mounts = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n\
                  33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                  35 31 0:32 / /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory\n";
    let unified = "41 31 0:38 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n";
    let part = "41 31 0:38 /a /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
    let limit = |groups: &str, mounts: &str, files: &[(&str, &str)]| {
        group_limit(groups, mounts, |path| {
            let found = files
                .iter()
                .find(|f| path == format!("/sys/fs/cgroup{}", f.0));
            found.map(|f| f.1.to_string())
        })
    };
    let max = ("/memory/memory.limit_in_bytes", "9223372036854771712\n");
    let own = ("/memory/a/b/memory.limit_in_bytes", "1000\n");
    let groups = "4:cpu:/x\n3:memory:/a/b\n0::/\n";
    assert_eq!(limit(groups, mounts, &[max, own]), Some(1000));
    let around = ("/memory/a/memory.limit_in_bytes", "500\n");
    assert_eq!(limit(groups, mounts, &[max, own, around]), Some(500));
    let nested = [("/a/b/memory.max", "max\n"), ("/a/memory.max", "700\n")];
    assert_eq!(limit("0::/a/b\n", unified, &nested), Some(700));
    let inside = [("/b/memory.max", "600\n"), ("/memory.max", "max\n")];
    assert_eq!(limit("0::/a/b\n", part, &inside), Some(600));
    assert_eq!(limit("0::/a/b\n", "", &nested), None);
    // Another hierarchy that happens to have a group of that name says nothing.
    assert_eq!(limit("0::/a/b\n", mounts, &[own]), None);
}

// Other tests allocate at the same time: only lower bounds hold.
#[test]
fn the_count_and_the_peak_see_a_large_block() {
    let block = std::hint::black_box(vec![1u8; 64 << 20]);
    assert!(allocated() >= 64 << 20);
    drop(block);
    if cfg!(target_os = "linux") {
        assert!(peak() >= 64 << 20);
        assert!(available().unwrap() > 64 << 20);
    }
}
