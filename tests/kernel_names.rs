//! Names of kernels: two of one program, and two that only share a name.

use std::path::Path;
use std::process::{Command, Output};

/// A folder with a program.
struct Place(tempfile::TempDir);

impl Place {
    fn new((name, text): (&str, &[u8])) -> Place {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(name), text).unwrap();
        Place(dir)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        command
            .args(args)
            .current_dir(self.path())
            .output()
            .unwrap()
    }

    fn succeeds(&self, args: &[&str]) {
        let out = self.run(args);
        assert!(out.status.success(), "{args:?}: {out:?}");
    }
}

/// Two kernels of one program in one program of the user's, and two that only share a name.
#[test]
fn kernels_have_names() {
    let place = Place::new((
        "f.rise",
        b"def f [n : nat] (xs : n.f32) : n.f32 = map (\\x -> x * 2.0) xs\n",
    ));
    for (set, name) in [("n=4", "f_four"), ("n=8", "f_eight")] {
        place.succeeds(&[
            "f.rise",
            "--set",
            set,
            "--name",
            name,
            "--emit",
            "c,header,plan",
        ]);
    }
    let main = "#include \"f_four.h\"\n#include \"f_eight.h\"\n\
                int main(void)\n{\n    float a[8] = {0, 1, 2, 3, 4, 5, 6, 7}, b[8];\n    \
                if (f_eight(b, a) != 0 || b[7] != 14) return 1;\n    b[3] = 0;\n    \
                return f_four(b, a) != 0 || b[3] != 6 || b[7] != 14;\n}\n";
    std::fs::write(place.path().join("main.c"), main).unwrap();
    let compile = |files: &[&str]| {
        let mut cc = Command::new("cc");
        cc.args(files)
            .args(["-o", "main"])
            .current_dir(place.path());
        cc.output().unwrap().status.success()
    };
    assert!(compile(&["main.c", "f_four.c", "f_eight.c"]));
    assert!(Command::new(place.path().join("main"))
        .status()
        .unwrap()
        .success());

    // A plan keeps the name.
    let c = std::fs::read(place.path().join("f_four.c")).unwrap();
    std::fs::remove_file(place.path().join("f_four.c")).unwrap();
    place.succeeds(&["--replay", "f_four.plan.json"]);
    assert_eq!(std::fs::read(place.path().join("f_four.c")).unwrap(), c);

    // The second header of one name is not passed over, as its function is another one.
    place.succeeds(&["f.rise", "-o", "any.c"]);
    place.succeeds(&["f.rise", "--set", "n=4", "-o", "four.c"]);
    let both = "#include \"any.h\"\n#include \"four.h\"\nint main(void) { return 0; }\n";
    std::fs::write(place.path().join("both.c"), both).unwrap();
    assert!(!compile(&["both.c"]));

    for taken in ["double", "4f", "f-4", "printf ", "room", ""] {
        let out = place.run(&["f.rise", "--name", taken]);
        assert_eq!(out.status.code(), Some(2), "{taken}");
        assert!(String::from_utf8_lossy(&out.stderr).contains("--name"));
    }
}
