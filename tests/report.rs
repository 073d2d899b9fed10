//! Reports: a record, saved or not, gives one page; the page is opened in Chromium, where it has to work.
//!
//! `CHROMIUM` names the browser; else `chromium`, `chromium-browser` and `google-chrome` are looked for. Without one
//! the tests that need it say so and pass, but with `CI=true` they fail.

mod candidates;

use crate::common::lacking;
use rise_opt::cost::Cost;
use rise_opt::diag::code;
use rise_opt::estimate::{limit, Bound, Machine};
use rise_opt::report::html::text;
use rise_opt::report::record::{make, Found, Link, Message, Rule, Surroundings, Why, WhyStep};
use rise_opt::report::validation::Met;
use rise_opt::report::{html, Record};
use rise_opt::source::SourceMap;
use rise_opt::target::Target;
use rise_opt::{elab, search};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;

const MM: &str = "programs/mm.rise";
const PARALLEL: [&str; 3] = [MM, "--sketch", "sketches/mm/parallel.sk"];
const FAILS: [&str; 5] = [
    MM,
    "--sketch",
    "sketches/mm/blocking.sk",
    "--iter-limit",
    "1",
];

fn rise_opt(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    let command = command.args(args).current_dir(dir).env("NO_COLOR", "1");
    command.output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn record_of(path: &Path) -> Record {
    let mut sources = SourceMap::new();
    let file = sources.load(&path.display().to_string()).unwrap();
    Record::read(&sources, file).unwrap_or_else(|d| panic!("{d:?}"))
}

/// Of a search that found, and of one that did not; the folder holds files, too.
fn made() -> &'static (TempDir, Record, Record) {
    static MADE: OnceLock<(TempDir, Record, Record)> = OnceLock::new();
    MADE.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let emit = ["--emit", "c,header,record", "--report", "found.html"];
        let found = rise_opt(dir.path(), &[&PARALLEL[..], &emit].concat());
        assert!(found.status.success(), "{}", stderr(&found));
        let emit = [
            "--emit",
            "c,record",
            "-o",
            "fail.c",
            "--report",
            "fail.html",
        ];
        let failed = rise_opt(dir.path(), &[&FAILS[..], &emit].concat());
        assert_eq!(failed.status.code(), Some(3), "{}", stderr(&failed));
        assert!(!dir.path().join("fail.c").exists(), "there is no kernel");
        let records =
            ["mm.record.json", "fail.record.json"].map(|f| record_of(&dir.path().join(f)));
        let [found, failed] = records;
        (dir, found, failed)
    })
}

#[test]
fn a_saved_record_gives_the_page_of_the_run() {
    let (dir, found, _) = made();
    let dir = dir.path();
    for (record, page) in [
        ("mm.record.json", "found.html"),
        ("fail.record.json", "fail.html"),
    ] {
        let output = rise_opt(dir, &["report", record, "-o", "again.html"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let [a, b] = [page, "again.html"].map(|f| fs::read_to_string(dir.join(f)).unwrap());
        assert!(a == b, "{page} is another page");
        let printed = rise_opt(dir, &["report", record, "-o", "-"]);
        assert!(String::from_utf8(printed.stdout).unwrap() == a);
    }
    assert_eq!(html::page(found), html::page(found));
    let output = rise_opt(dir, &["report", "mm.record.json"]);
    assert!(output.status.success() && dir.join("mm.html").exists());
}

/// Every statement says the same in both texts; how many stores there are.
fn lines_are_joined(r: &Record) -> usize {
    let k = r.kernel.as_ref().unwrap();
    let (c, nest): (Vec<_>, Vec<_>) = (k.c.text.lines().collect(), k.nest.text.lines().collect());
    let of = |marks: &[rise_opt::nest::Mark], s: usize| -> Vec<(usize, usize)> {
        let all = marks.iter().filter(|m| m.statement as usize == s);
        all.map(|m| (m.first as usize, m.last as usize)).collect()
    };
    let mut stores = 0;
    for (i, s) in k.statements.iter().enumerate() {
        let [a, b] = [&k.nest.marks, &k.c.marks].map(|m| of(m, i));
        assert_eq!(a.len(), 1, "statement {i}");
        assert!(!b.is_empty(), "statement {i}: {}", nest[a[0].0]);
        let (said, text) = (
            nest[a[0].0].trim(),
            b.iter().map(|r| c[r.0..=r.1].join(" ")),
        );
        let text = text.collect::<Vec<_>>().join(" ");
        // The same loop, the same store: they name the same variable first.
        let name = said
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .find(|w| {
                ![
                    "for", "par", "let", "var", "index", "heap", "of", "the", "thread", "stack",
                    "if", "fetch", "and", "lt", "le", "",
                ]
                .contains(w)
            });
        assert!(text.contains(name.unwrap()), "{said}: {text}");
        stores += usize::from(s.computes.is_some());
    }
    stores
}

#[test]
fn the_record_joins_loops_c_and_term() {
    let (_, found, _) = made();
    let k = found.kernel.as_ref().unwrap();
    assert!(lines_are_joined(found) > 5);
    let kept = k.computed.iter().find(|c| c.role == "kept").unwrap();
    let (lo, hi) = kept.at[0];
    assert!(k.term[lo as usize..hi as usize].starts_with("toMem"));
    let located = k.computed.iter().filter(|c| !c.at.is_empty()).count();
    assert!(located + 1 >= k.computed.len(), "{:?}", k.computed);
}

/// Whatever the program, every statement has its lines in both texts, and the page names what is stored.
#[test]
fn every_program_has_a_report() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["dot", "gemv", "gemm", "binomial", "stencil", "vector_add"] {
        let program = format!("programs/{name}.rise");
        let output = rise_opt(dir.path(), &[&program, "--emit", "record", "-o", "r.json"]);
        assert!(output.status.success(), "{}", stderr(&output));
        lines_are_joined(&record_of(&dir.path().join("r.json")));
    }
    // Fixed sizes, a plan, a kernel with a twin to fall back to.
    let plan = [
        &PARALLEL[..],
        &["--emit", "c,plan", "--set", "m=64,n=64,k=64"],
    ]
    .concat();
    assert!(rise_opt(dir.path(), &plan).status.success());
    for args in [
        vec!["--replay", "mm.plan.json"],
        [
            &PARALLEL[..],
            &["--on-mismatch", "fallback", "--target", "avx2"],
        ]
        .concat(),
    ] {
        let args = [
            &args[..],
            &["--emit", "record", "-o", "r.json", "--report", "r.html"],
        ]
        .concat();
        let output = rise_opt(dir.path(), &args);
        assert!(output.status.success(), "{}", stderr(&output));
        let record = record_of(&dir.path().join("r.json"));
        lines_are_joined(&record);
        let kept = record
            .kernel
            .unwrap()
            .computed
            .into_iter()
            .find(|c| c.role == "kept");
        assert!(!kept.unwrap().at.is_empty());
    }
}

/// Without a sketch, the page has every schedule with its estimate and why it was not taken, of the record alone.
#[test]
fn what_was_tried_without_a_sketch_is_on_the_page() {
    let dir = tempfile::tempdir().unwrap();
    let args = [
        "programs/gemv.rise",
        "--permit",
        "reassociate",
        "--sizes",
        "1..8,8..",
        "--emit",
        "record",
        "-o",
        "r.json",
        "--report",
        "r.html",
    ];
    let output = rise_opt(dir.path(), &args);
    assert!(output.status.success(), "{}", stderr(&output));
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("limit    memory: "), "{told}");
    let record = record_of(&dir.path().join("r.json"));
    let page = fs::read_to_string(dir.path().join("r.html")).unwrap();
    assert_eq!(page, html::page(&record));
    let all = record.candidates.as_ref().expect("schedules");
    for one in &all.all {
        assert!(page.contains(&text::esc(&one.what)), "{}", one.what);
    }
    for words in [
        "href=\"#schedules\"",
        "the program as it stands",
        "estimated to take ",
        " times as long",
        "<td class=\"\">taken</td>",
        "Of the machine",
        "By size",
        "max(m, n) &lt; 8",
    ] {
        assert!(page.contains(words), "no {words:?}");
    }
    let (_, found, _) = made();
    assert!(!html::page(found).contains("schedules"));
}

/// Every store has its obligations, beside the lines that say it.
#[test]
fn obligations_stand_beside_their_lines() {
    let (dir, found, _) = made();
    let judged = found.validation.as_ref().expect("a verdict");
    let kernel = found.kernel.as_ref().expect("a kernel");
    let sum = |all: &[Met]| all.iter().map(|m| m.count).sum::<usize>();
    let by_statement: usize = judged.statements.iter().map(|s| sum(&s.met)).sum();
    assert_eq!(by_statement, sum(&judged.met));
    assert!(judged.open.is_empty());
    let page = fs::read_to_string(dir.path().join("found.html")).unwrap();
    for (i, s) in kernel.statements.iter().enumerate() {
        let of = judged
            .statements
            .iter()
            .find(|o| o.statement == Some(i as u32));
        let has = |kind: &str| of.is_some_and(|o| o.met.iter().any(|m| m.obligation == kind));
        let Some(what) = s.computes else {
            assert!(!has("value"), "statement {i} stores nothing");
            continue;
        };
        assert!(has("bounds"), "statement {i} is a store");
        if kernel.computed[what as usize].role == "result" {
            assert!(has("value"), "statement {i} stores results");
        }
        for (id, text) in [("nest", &kernel.nest), ("c", &kernel.c)] {
            let of = text.marks.iter().filter(|m| m.statement == i as u32);
            let line = of.map(|m| m.first + 1).min().expect("a line");
            let link = format!("<a class=\"line\" href=\"#{id}-{line}\">");
            assert!(page.contains(&link), "no {link}");
            assert!(page.contains(&format!("id=\"{id}-{line}\"")));
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let args = ["--plain", "--validate", "off", "--emit", "record"];
    let output = rise_opt(dir.path(), &[&[MM], &args[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record_of(&dir.path().join("mm.record.json"));
    assert!(record.validation.is_none());
    let page = html::page(&record);
    assert!(!page.contains("#obligations") && page.contains("was not validated"));
}

/// What a machine allows: operations where bytes are few, else bytes from the cache that holds them, or from memory.
#[test]
fn limits_are_those_of_the_machine() {
    let machine = Machine::of(Target::Avx2);
    let of = |operations, bytes| limit(operations, 8, bytes, &machine);
    let near = of(1e6, 1e4);
    assert_eq!((near.bound, near.rate), (Bound::Compute, 64.0));
    assert_eq!(near.cycles, 1e6 / 64.0);
    let [second, third, memory] = [1e5, 2e6, 1e9].map(|bytes| of(1.0, bytes));
    for (limit, rate) in [(second, 64.0), (third, 24.0), (memory, 9.0)] {
        assert_eq!((limit.bound, limit.rate), (Bound::Memory, rate));
    }
    assert_eq!(of(1e12, 1e9).bound, Bound::Compute);
}

#[test]
fn a_failed_goal_says_why() {
    let (_, _, failed) = made();
    let page = html::page(failed);
    for words in [
        "was not reached",
        "limit of 1 iterations",
        "Try this:",
        "satisfied by no class",
        "No kernel was made",
    ] {
        assert!(page.contains(words), "no {words:?}");
    }
    let step = failed.unreached().unwrap();
    assert!(step
        .search
        .as_ref()
        .unwrap()
        .parts
        .iter()
        .any(|p| p.classes == 0));
    assert_eq!(failed.planned, 2);
}

#[test]
fn what_was_not_checked_is_listed() {
    let (_, found, _) = made();
    let page = html::page(found);
    for words in [
        "was not compiled, run or measured",
        "No proof that the result equals",
        "rules that were applied are proved",
    ] {
        assert!(page.contains(words), "no {words:?}");
    }
    assert!(!page.contains("without a verdict"));
}

#[test]
fn rules_without_a_verdict_are_listed() {
    let (_, found, _) = made();
    let mut found = found.clone();
    for rule in found.rules.all.iter_mut() {
        rule.proved = rule.name != "map-fission";
    }
    let page = html::page(&found);
    assert!(page.contains("Rules without a verdict were applied: <code>map-fission</code>."));
}

/// The chain of a search that recorded itself.
#[test]
fn a_proof_has_a_pane() {
    let mut sources = SourceMap::new();
    let file = sources.load(MM).unwrap();
    let program = elab::program(&mut sources, file, None).unwrap();
    let guide = sources.load("sketches/mm/blocking.sk").unwrap();
    let costs = Cost::ALL.map(|(name, _)| name);
    let around = elab::Surroundings {
        sizes: Some(&program.sizes),
        costs: &costs,
        ..Default::default()
    };
    let steps = elab::steps(&mut sources, guide, &around).unwrap().steps;
    let options = search::Options {
        prove: true,
        ..Default::default()
    };
    let outcome = search::optimize(&program, &steps, &options);
    let record = make(
        Surroundings {
            sources: &sources,
            command: "rise-opt".into(),
            seed: 0,
            machine: Default::default(),
            program: &program,
            file: Some(file),
            steps: &steps,
            unverified: Default::default(),
            replayed: &[],
            sizes: Default::default(),
            params: Default::default(),
            run_wanted: false,
            target: String::new(),
        },
        Found {
            outcome: &outcome,
            contract: Default::default(),
            reassociation: Vec::new(),
            kernel: None,
            validation: None,
            run: None,
            failure: &[],
            peak_bytes: 0,
            candidates: None,
        },
    );
    let why = record.why.as_ref().expect("a chain");
    assert_eq!(why.steps.len(), 2);
    let last = why.steps[1].links.last().unwrap();
    // Up to the names of variables.
    let texts = [&last.term, record.steps[1].found.as_ref().unwrap()];
    let [chained, found] = texts.map(|text| {
        let file = sources.add_text("term", text);
        elab::program(&mut sources, file, None).unwrap().term
    });
    assert!(chained == found);
    let page = html::page(&record);
    for words in [
        "Why equal",
        "It was replayed without the e-graph",
        "split-join[32]",
    ] {
        assert!(page.contains(words), "no {words:?}");
    }
    if let Some(path) = std::env::var_os("KEEP_REPORT") {
        fs::write(path, &page).unwrap();
    }
    works(&record, 9);
}

/// A page on which everything may be text: nothing of it gets out.
fn exotic() -> Record {
    let (_, found, failed) = made();
    let mut json = serde_json::to_value(found).unwrap();
    fn go(v: &mut Value, key: &str, n: &mut usize) {
        const EVIL: [&str; 5] = [
            "</script><script>throw 'out'</script>",
            "\"'><img src=x onerror=alert(1)>",
            "&amp;&lt;b&gt; <!-- ]]> --> \u{0}",
            "\u{202e}evil\u{202c} 日本語 e\u{301} 👩‍🚀",
            "</style></title></pre></textarea>",
        ];
        match v {
            Value::String(s)
                if !["role", "home", "stop", "hash", "contract", "verdict"].contains(&key) =>
            {
                *n += 1;
                // Listings keep their lines.
                let evil = EVIL[*n % EVIL.len()];
                *s = match s.contains('\n') {
                    true => s.lines().map(|l| format!("{l} {evil}\n")).collect(),
                    false => format!("{s} {evil} {}", "long".repeat(100)),
                };
            }
            Value::Array(all) => all.iter_mut().for_each(|v| go(v, key, n)),
            Value::Object(all) => all.iter_mut().for_each(|(k, v)| go(v, k, n)),
            _ => {}
        }
    }
    go(&mut json, "", &mut 0);
    let mut record: Record = serde_json::from_value(json).unwrap();
    record.failure = failed.failure.clone();
    record.failure.push(Message {
        code: "E0000".into(),
        message: "a ` b </article>".into(),
        place: "<here>:1:1".into(),
        label: "`x<y`".into(),
        notes: vec!["a\n<b>\n".into()],
        help: Some("<i>try</i>".into()),
    });
    record.why = Some(Why {
        steps: vec![WhyStep {
            name: "<b>".into(),
            links: vec![Link {
                rule: "a&b".into(),
                times: 3,
                backward: true,
                term: "</pre>".into(),
            }],
        }],
    });
    record
}

/// Of a search of a million e-nodes, with hundreds of rules and iterations and a term of thousands of lines.
fn million() -> Record {
    let (_, found, _) = made();
    let mut r = found.clone();
    let search = r.steps[1].search.as_mut().unwrap();
    let iteration = search.trace.iterations.last().unwrap().clone();
    search.trace.iterations = (0..700_u64)
        .map(|i| {
            let mut it = iteration.clone();
            it.size.nodes = 400 + 2_041 * i;
            it.size.classes = 300 + 1_033 * i;
            let rule = it.rules[0].clone();
            it.rules = (0..312)
                .map(|k| {
                    let mut rule = rule.clone();
                    rule.name = format!("rule-{k}");
                    rule.nodes_added = k * i % 977;
                    rule
                })
                .collect();
            it
        })
        .collect();
    r.rules.all = (0..312)
        .map(|k| Rule {
            name: format!("rule-{k}"),
            file: "many.rules".into(),
            line: 1 + 3 * k,
            text: "rule r\n  map f (map g xs)  =>  map (\\x -> f (g x)) xs".into(),
            regroups: false,
            proved: true,
        })
        .collect();
    let long: String = (0..9_000).map(|i| format!("  (map f{i} xs{i}\n")).collect();
    r.steps[1].found = Some(format!("def mm =\n{long}"));
    let k = r.kernel.as_mut().unwrap();
    k.c.text += &"/* a line */\n".repeat(20_000);
    k.nest.text += &"-- a line\n".repeat(20_000);
    r
}

#[test]
fn what_is_too_long_is_cut_and_said_to_be() {
    let page = html::page(&million());
    for words in [
        "showing 40 of 312 rules",
        "showing 40 of 700 iterations",
        "showing 400 of 9\u{a0}001 lines",
        "showing 1\u{a0}500 of 2",
    ] {
        assert!(page.contains(words), "no {words:?}");
    }
    assert!(page.len() < 3 << 20, "{} bytes", page.len());
    assert!(
        !html::page(&made().1).contains("showing "),
        "nothing small is cut"
    );
}

#[test]
fn pages_stand_alone_and_nothing_gets_out_of_a_text() {
    for record in [&made().1, &made().2, &exotic(), &million()] {
        let page = html::page(record);
        let shown = page.split("</style>").nth(1).unwrap();
        let shown = shown.split("<script>").next().unwrap();
        assert_eq!(page.matches("<script").count(), 1);
        assert_eq!(page.matches("</script").count(), 1);
        assert_eq!(page.matches("<style").count(), 1);
        for what in [
            "<img", "<iframe", "<object", "@import", "url(", "http:", "https:",
        ] {
            assert!(!page.contains(what), "{what}");
        }
        // Names of attributes; values are quoted, and have no quote.
        let tags = shown.split('<').skip(1).filter_map(|t| t.split('>').next());
        let names = tags.flat_map(|t| t.split('"').step_by(2));
        for name in names {
            assert!(!name.contains(" src") && !name.contains(" on"), "{name}");
        }
        // Without scripts nothing is hidden, and every pane can be gone to.
        assert!(!shown.contains(" hidden"), "a pane is hidden");
        for id in [
            "steps", "growth", "rules", "terms", "code", "sizes", "checks", "command",
        ] {
            assert!(
                page.contains(&format!("href=\"#{id}\"")) && page.contains(&format!("id=\"{id}\""))
            );
        }
        for tag in [
            "section", "article", "figure", "details", "table", "pre", "ul", "ol", "div", "span",
            "ins", "del",
        ] {
            let [open, close] =
                [format!("<{tag}"), format!("</{tag}>")].map(|t| page.matches(&t).count());
            // `<p` is not `<pre`.
            let begin = format!("<{tag}");
            let of_longer = shown.match_indices(&begin);
            let of_longer = of_longer.filter(|(i, t)| {
                let next = shown[i + t.len()..].chars().next();
                next.is_some_and(|c| c.is_alphanumeric())
            });
            assert_eq!(open - of_longer.count(), close, "<{tag}>");
        }
    }
}

#[test]
fn what_cannot_be_read_or_written_is_said() {
    let (dir, ..) = made();
    let dir = dir.path();
    let text = fs::read_to_string(dir.join("mm.record.json")).unwrap();
    let refused = |text: &str, id: &str, words: &str| {
        fs::write(dir.join("bad.json"), text).unwrap();
        let output = rise_opt(dir, &["report", "bad.json", "-o", "bad.html"]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(id) && said.contains(words), "{said}");
        assert!(!dir.join("bad.html").exists());
    };
    refused(&text[..text.len() / 2], code::SAVED_MALFORMED.id, "cut off");
    refused("not json", code::SAVED_MALFORMED.id, "not JSON");
    let first = |from: &str, to: &str| text.replacen(from, to, 1);
    refused(
        &first("\"version\": 1", "\"version\": 2"),
        code::SAVED_VERSION.id,
        "version 2",
    );
    refused(
        &first("\"kind\": \"record\"", "\"kind\": \"plan\""),
        code::SAVED_KIND.id,
        "is a plan",
    );
    refused(
        &first("\"command\"", "\"commando\""),
        code::SAVED_MALFORMED.id,
        "commando",
    );
    let missing = rise_opt(dir, &["report", "none.json"]);
    assert!(stderr(&missing).contains("E0001"));
    // Before the search, and so before anything else is written.
    for page in ["no/such/folder/a.html", ".", "k.c", "./k.h", "-"] {
        let args = [&PARALLEL[..], &["-o", "k.c", "--report", page]].concat();
        let output = rise_opt(dir, &args);
        assert_eq!(output.status.code(), Some(1), "{page}");
        assert!(stderr(&output).contains("E0901"), "{}", stderr(&output));
        assert!(!dir.join("k.c").exists());
    }
    let over = rise_opt(dir, &["report", "mm.record.json", "-o", "mm.record.json"]);
    assert!(
        stderr(&over).contains("would be overwritten"),
        "{}",
        stderr(&over)
    );
}

fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let found = named.or_else(|| {
        let folders = std::env::var_os("PATH")?;
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let mut all = std::env::split_paths(&folders).flat_map(|f| names.map(|n| f.join(n)));
        all.find(|p| p.is_file())
    });
    if found.is_none() {
        lacking::not_tested(
            "pages in a browser: there is no Chromium (Debian: package `chromium`), and CHROMIUM names none",
        );
    }
    found
}

/// Pages are looked at this wide.
const WIDTHS: [u32; 2] = [1280, 400];

/// What the page says of itself at each width, and the lines of the console.
fn opened(browser: &Path, page: &str) -> (Vec<Value>, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let probe = include_str!("report/probe.js");
    let end = page.rfind("</body>").unwrap();
    let probed = format!("{}<script>{probe}</script>{}", &page[..end], &page[end..]);
    fs::write(at("page.html"), probed).unwrap();
    // A window may not be narrower than 500; a frame may. Both pages run, and each says what it found.
    let frames = WIDTHS.map(|width| {
        format!("<iframe src=page.html style=\"width:{width}px;height:900px;border:0\"></iframe>")
    });
    let listen = "<pre id=said></pre><script>onmessage = (e) => { said.textContent += e.data + \"\\n\" }</script>";
    let frame = format!("<!doctype html>{listen}{}", frames.concat());
    fs::write(at("frame.html"), frame).unwrap();
    let mut command = Command::new(browser);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
    ]);
    command.args([
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]);
    command.args([
        "--disable-dev-shm-usage",
        "--enable-logging=stderr",
        "--virtual-time-budget=20000",
    ]);
    command.arg(format!("--user-data-dir={}", at("profile").display()));
    command.args(["--window-size=1400,1000", "--dump-dom"]);
    command.arg(at("frame.html"));
    let output = command.output().unwrap();
    let log = stderr(&output);
    let console = log.lines().filter(|l| l.contains("CONSOLE"));
    let console = console.map(str::to_string).collect();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = dom
        .split("<pre id=\"said\">")
        .nth(1)
        .and_then(|s| s.split("</pre>").next());
    let said = said.unwrap_or_else(|| panic!("the browser printed {dom}\n{log}"));
    let said = said
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let lines = said.lines().map(serde_json::from_str);
    let all: Result<Vec<Value>, _> = lines.collect();
    let all = all.unwrap_or_else(|e| panic!("{e}: {said}\n{log}"));
    (all, console)
}

fn works(record: &Record, panes: usize) {
    let Some(browser) = browser() else { return };
    let (all, console) = opened(&browser, &html::page(record));
    assert!(console.is_empty(), "{console:#?}");
    for width in WIDTHS {
        let said = all.iter().find(|s| s["width"] == width);
        let said = said.unwrap_or_else(|| panic!("nothing was said at {width}: {all:?}"));
        assert_eq!(said["wrong"], Value::Array(Vec::new()), "at {width}");
        assert_eq!(said["panes"].as_array().unwrap().len(), panes, "{said}");
        assert_eq!(said["images"], 0);
        if record.kernel.is_some() {
            let subs = said["subs"].as_u64().unwrap();
            assert!(subs > 0, "stores show their sub-terms: {said}");
        }
    }
}

/// The tests below can fail: what overflows, what is broken and what is logged is noticed.
#[test]
fn a_broken_page_is_noticed() {
    let Some(browser) = browser() else { return };
    let page = html::page(&made().1);
    let wide = "<div style=\"width:1300px\">wide</div></section>";
    let broken = page.replacen("</section>", wide, 1);
    let broken = broken.replace(
        "classList.toggle(\"hit\", hit)",
        "classList.toggle(\"hit\", false)",
    );
    let broken = broken.replacen("</body>", "<script>oops()</script></body>", 1);
    let (all, console) = opened(&browser, &broken);
    assert!(console.iter().any(|l| l.contains("oops")), "{console:?}");
    for said in all {
        let wrong = said["wrong"].to_string();
        for words in [
            "Steps: is ",
            "shows lines of C",
            "what is selected is shown",
        ] {
            assert!(wrong.contains(words), "no {words:?} in {wrong}");
        }
        assert!(!wrong.contains("Growth: is "), "{wrong}");
    }
}

#[test]
fn a_browser_shows_what_was_found() {
    works(&made().1, 9);
}

#[test]
fn a_browser_shows_what_was_not_found() {
    works(&made().2, 8);
}

#[test]
fn a_browser_shows_a_million_nodes() {
    works(&million(), 9);
}

#[test]
fn a_browser_shows_any_text() {
    works(&exotic(), 10);
}
