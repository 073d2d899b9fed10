//! What inputs are made from: the files that are shipped, the suite, and JSON as commands write it.

use rise_opt::source::SourceMap;
use rise_opt::syntax::{parse, Dialect};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct Seeds {
    pub programs: Vec<String>,
    pub rules: Vec<String>,
    pub index: Vec<String>,
    pub sketches: Vec<String>,
    pub expressions: Vec<String>,
    pub json: Vec<String>,
    pub commands: Vec<String>,
    /// A folder with a file of each kind.
    pub folder: tempfile::TempDir,
}

/// Longer files are used item by item only.
const LONG: usize = 4_000;

/// Argument lines of the commands that read saved files, and of cheap ones that do not.
const COMMANDS: &[&str] = &[
    "check-proof\nmm.proof.json",
    "check-proof\nmm.proof.json\nprograms/mm.rise",
    "--replay\nmm.plan.json\n--emit\nc,header,term,nest,plan\n-o\nout.c",
    "--replay\nmm.plan.json\nprograms/mm.rise\n--target\navx2\n--simplify\noff",
    "check-certificate\nmm.certificate.json\nprograms/mm.rise\n--c\nmm.c",
    "report\nmm.record.json\n-o\nout.html",
    "report\nmm.record.json\n-o\n-",
    "programs/mm.rise\n--sketch\nsketches/mm/blocking.sk\n--set\ntile=16\n--emit\nc,plan,proof,record,trace,term",
    "programs/dot.rise\n--set\nn=1024\n--emit\nc,header,nest,dot\n-o\n-",
    "programs/mm.rise\n--set\nm=3\n--target\nportable\n--message-format\njson\n--entry\nmm",
    "explain\nprograms/mm.rise\n--sketch\nsketches/mm/baseline.sk\n--full",
    "explain\n--try\nsplit-join[4]\nprograms/mm.rise",
    "check\nprograms/mm.rise\nrules/layout.rules\nsketches/mm/blocking.sk\nown.rise",
    "fmt\n--check\nown.rise\nown.rules\nown.sk",
    "fmt\nown.rise\nown.rules\nown.sk",
    "simplify\n(4*i + 3)/4\n--assume\n0 <= i && i < n\n--trace",
    "prove\n4*i < 4*n\n--assume\ni < n",
    "order\nown.rules\n--rule\na",
    "verify\nown.rules\n--fresh\n--limit\n1\n--queries",
    "verify\nown.rules\n--progress\noff\n--message-format\nshort",
    "doctor",
];

const OWN: &[(&str, &str)] = &[
    (
        "own.rise",
        "def f [n : nat] (xs : n.f32) : n.f32 = xs |> map (\\x -> x + 1.0)\n",
    ),
    (
        "own.rules",
        "domain scalar\nrule a  x + 0 => x\nrule b  x * c0 => c0 * x where c0 > 0\n",
    ),
    (
        "own.sk",
        "use rules/algorithmic.rules\nsketch contains (app map ?)\n",
    ),
];

impl Seeds {
    pub fn load() -> Seeds {
        let folder = tempfile::tempdir().expect("a folder");
        let mut seeds = Seeds {
            programs: Vec::new(),
            rules: Vec::new(),
            index: Vec::new(),
            sketches: Vec::new(),
            expressions: EXPRESSIONS.iter().map(|e| e.to_string()).collect(),
            json: Vec::new(),
            commands: COMMANDS.iter().map(|c| c.to_string()).collect(),
            folder,
        };
        let mut files = Vec::new();
        for root in ["tests/suite", "tests/kernels"] {
            walk(Path::new(root), &mut files);
        }
        files.sort();
        for path in files {
            if let Ok(text) = std::fs::read_to_string(&path) {
                seeds.add(&path.to_string_lossy(), &text);
            }
        }
        for name in SourceMap::shipped() {
            let mut sources = SourceMap::new();
            let file = sources.load_shipped(name).expect("shipped");
            seeds.add(name, sources.file(file).text.as_ref());
        }
        seeds.make_json();
        seeds
    }

    fn add(&mut self, path: &str, text: &str) {
        let Some(dialect) = Dialect::of_path(path) else {
            return;
        };
        let scalar = text.contains("domain scalar");
        let pool = match dialect {
            Dialect::Program => &mut self.programs,
            Dialect::Rules if scalar => &mut self.index,
            Dialect::Rules => &mut self.rules,
            Dialect::Sketch => &mut self.sketches,
        };
        if text.len() <= LONG {
            pool.push(text.to_string());
            return;
        }
        // A few items in a row.
        let mut sources = SourceMap::new();
        let id = sources.add_text(path, text);
        let parsed = parse(id, text, dialect);
        let head = if scalar { "domain scalar\n" } else { "" };
        for items in parsed.file.items.chunks(4) {
            let (first, last) = (&items[0].span, &items[items.len() - 1].span);
            let part = &text[first.lo as usize..last.hi as usize];
            let head = if part.starts_with("domain") { "" } else { head };
            pool.push(format!("{head}{part}\n"));
        }
    }

    fn make_json(&mut self) {
        let dir = self.folder.path().to_path_buf();
        for (name, text) in OWN {
            std::fs::write(dir.join(name), text).expect("written");
        }
        let sketch = "programs/mm.rise --sketch sketches/mm/blocking.sk";
        let lines = [
            format!("{sketch} --emit c,loops,trace,plan,proof,record,egraph --egraph-classes 20 --set tile=16"),
            "certify programs/mm.rise --plan mm.plan.json".to_string(),
            format!("compare {sketch} --node-limit 2000 --emit json"),
            "programs/dot.rise --emit record,plan".to_string(),
            format!("{sketch} --iter-limit 1 --emit record -o unreached.c"),
            "verify own.rules --write-certificates --progress off".to_string(),
            "bench programs/dot.rise --size 32 --samples 1 --pause 0 --no-peers".to_string(),
        ];
        for line in lines {
            let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
            command.args(line.split(' ')).current_dir(&dir);
            let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
        let mut files = Vec::new();
        walk(&dir, &mut files);
        files.sort();
        for path in files {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if text.starts_with('{') {
                self.json.push(text);
            }
        }
        assert!(
            self.json.len() >= 6,
            "commands that write JSON fail: {}",
            self.json.len()
        );
    }
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        match path.is_dir() {
            true => walk(&path, files),
            false => files.push(path),
        }
    }
}

const EXPRESSIONS: &[&str] = &[
    "(4*i + 3)/4 where 0 <= i && i < n",
    "i % n < n where n > 0",
    "min(i, n) + max(i, 0) where i < n",
    "select(i < n, a[i], 0)",
    "ramp(i*4, 1, 4) + broadcast(j, 4)",
    "(i*n + j)/n where 0 <= j && j < n && n > 1",
    "!(a < b) || a >= b && a != c",
    "floor(n, 4)*4 + n % 4 == n",
    "-(x - y)*2 <= 2*y - 2*x",
    "((a + b)*(c + d) - a*c) % 7 where a % 7 == 0",
];
