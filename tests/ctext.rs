//! The C text of a kernel says what its loop program says, and whatever is changed in it is noticed.
//!
//! Guards against silence: how many texts were compared, and how many changes of each kind were made.

use crate::common;
use rise_opt::arith::Nat;
use rise_opt::ctext::{compare, Texts, Verdict};
use rise_opt::elab;
use rise_opt::emit::{emit, CUnit, Contract, Options};
use rise_opt::intern::Symbol;
use rise_opt::lower::{self, lower};
use rise_opt::nest::Nest;
use rise_opt::source::SourceMap;
use rise_opt::target::Target;
use rise_opt::term::{normalize, Program};
use std::fs;

fn printed(nest: &Nest, contract: Contract) -> CUnit {
    let options = Options {
        header_name: Some("kernel.h".to_string()),
        contract,
        ..Options::default()
    };
    emit(nest, &options)
}

fn compared(unit: &CUnit, nest: &Nest) -> Verdict {
    compare(
        Texts {
            c: &unit.c,
            header: Some(("kernel.h", &unit.header)),
        },
        nest,
    )
}

/// All programs that are written down: those that are shipped and those of the tests.
fn programs() -> Vec<(String, Program)> {
    let own = fs::read_dir("tests/kernels")
        .unwrap()
        .map(|f| f.unwrap().path().display().to_string());
    let shipped = SourceMap::shipped()
        .filter(|f| f.starts_with("programs/"))
        .map(str::to_string);
    let mut files: Vec<String> = own.chain(shipped).collect();
    files.sort();
    let read = |path: String| {
        let mut sources = SourceMap::new();
        let file = sources.load(&path).unwrap();
        let mut program =
            elab::program(&mut sources, file, None).unwrap_or_else(|d| panic!("{path}: {d:?}"));
        program.term = normalize(&program.term);
        (path, program)
    };
    files.into_iter().map(read).collect()
}

/// How a kernel's text differs from its loop program, if it does.
pub fn same(name: &str, nest: &Nest, contract: Contract) -> Option<String> {
    let unit = printed(nest, contract);
    let line = |n: u32| {
        unit.c
            .lines()
            .nth(n as usize - 1)
            .unwrap_or("")
            .trim()
            .to_string()
    };
    match compared(&unit, nest) {
        Verdict::Same => None,
        Verdict::Differs(d) => Some(format!(
            "{name}: {} `{}` | {}: {}",
            d.line,
            line(d.line),
            d.loops,
            d.what
        )),
        Verdict::Unread(u) => Some(format!(
            "{name}: {} `{}` unread: {}",
            u.line,
            line(u.line),
            u.what
        )),
    }
}

/// Of the targets, so many for each program, all in turn.
fn written_programs(targets: usize) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (i, (path, program)) in programs().into_iter().enumerate() {
        for target in Target::ALL.into_iter().cycle().skip(i).take(targets) {
            let options = lower::Options {
                target,
                approximate: true,
                ..Default::default()
            };
            let Ok(nest) = lower(&program, &options) else {
                continue;
            };
            count += 1;
            let contract = if count % 2 == 0 {
                Contract::On
            } else {
                Contract::Off
            };
            wrong.extend(same(&path, &nest, contract));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count > 100 * targets, "{count}");
}

#[test]
fn written_programs_are_printed_as_they_are() {
    written_programs(1);
}

/// `cargo test --test all ctext::written -- --ignored`
#[test]
#[ignore = "a minute"]
fn written_programs_are_printed_as_they_are_for_all_targets() {
    written_programs(Target::ALL.len());
}

// ---- changes

/// Programs whose texts have all that a text may have: threads with buffers of their own, packed arrays, vectors with rests,
/// truth values, floats of 16 bits, integers of all widths, indices among the inputs, functions.
const CHANGED: &[&str] = &[
    "array-packing",
    "bits",
    "cast-indices",
    "functions",
    "halves",
    "lanes-choices",
    "lanes-of-sums",
    "padded",
    "private-buffers",
];

/// Rows that threads share.
fn rows() -> Nest {
    let text = "def rows [n m : nat] (xs : n.m.f32) : n.m.f32 = mapPar (map (\\x -> 2.0 * x)) xs";
    lower(&common::program_text(text), &Default::default()).expect("a kernel")
}

/// Which loops are static, the loop program says.
#[test]
fn the_schedule_of_threads_is_compared() {
    let nest = rows();
    assert!(!nest.entry.statics.is_empty());
    let mut other = nest.clone();
    other.entry.statics.clear();
    for (own, of) in [(&nest, &other), (&other, &nest)] {
        assert_eq!(same("rows", own, Contract::On), None);
        let unit = printed(own, Contract::On);
        let verdict = compared(&unit, of);
        assert!(matches!(verdict, Verdict::Differs(_)), "{}", unit.c);
    }
}

/// The text of such rows with something put in before the last store.
fn with_in_rows(nest: &Nest, contract: Contract, put: &str) -> (CUnit, Verdict) {
    let unit = printed(nest, contract);
    let at = unit.c.rfind("    return 0;").expect("an end");
    let c = format!("{}{put}{}", &unit.c[..at], &unit.c[at..]);
    let unit = CUnit { c, ..unit };
    let verdict = compared(&unit, nest);
    (unit, verdict)
}

/// Comments end where they do in C, which joins lines before that. How lines end is layout.
#[test]
fn comments_hide_nothing() {
    let nest = rows();
    for read in ["/*/ out[0] = 1.0f; /*/", "/* out[0] = 1.0f; */", "\t\r\n"] {
        let (unit, verdict) = with_in_rows(&nest, Contract::On, read);
        assert_eq!(verdict, Verdict::Same, "{read}: {}", unit.c);
    }
    for not_read in [
        "/*/ */ out[0] = 1.0f; /* */",
        "/* *\\\n/ out[0] = 1.0f; /* */",
        "/* *\\ \r\n/ out[0] = 1.0f; /* */",
        "/* *??/\n/ out[0] = 1.0f; /* */",
        "ret\\\nurn 0;",
    ] {
        let (unit, verdict) = with_in_rows(&nest, Contract::On, not_read);
        assert_ne!(verdict, Verdict::Same, "{not_read}: {}", unit.c);
    }
}

/// What options are for stands between their begin and their end.
#[test]
fn options_are_of_all_code() {
    let nest = rows();
    let unit = printed(&nest, Contract::Off);
    let end = "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC pop_options\n#endif\n";
    let parts: Vec<&str> = unit.c.split(end).collect();
    let [before, behind] = parts[..] else {
        panic!("{}", unit.c);
    };
    let begin = before.find("#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC push");
    let begin = begin.expect("options");
    let above = before[begin..].find("#endif\n").expect("an end") + begin + "#endif\n".len();
    let options = &before[begin..above];
    let moved = [
        (format!("{}{end}{}{behind}", &before[..above], &before[above..])),
        (format!(
            "{}{}{options}{end}{behind}",
            &before[..begin],
            &before[above..]
        )),
    ];
    assert_eq!(compared(&unit, &nest), Verdict::Same);
    for c in moved {
        let verdict = compared(&CUnit { c, ..unit.clone() }, &nest);
        assert!(matches!(verdict, Verdict::Differs(_)), "{verdict:?}");
    }
}

/// Many comparisons with constants are put together by sums, of truth values only.
#[test]
fn what_is_looked_up_is_read() {
    let text = "def blank [n : nat] (s : n.u8) : (i32, i32) =
      let is = \\c -> c == 32 || c == 9 || c == 10 || c == 13 in
      let no = \\c -> c != 32 && c != 9 && c != 10 && c != 13 in
      (s |> map (\\c -> if is c then (1 : i32) else 0) |> reduce (+) 0,
       s |> map (\\c -> if no c then (1 : i32) else 0) |> reduce (+) 0)";
    let nest = lower(&common::program_text(text), &Default::default()).expect("a kernel");
    let unit = printed(&nest, Contract::On);
    assert_eq!(compared(&unit, &nest), Verdict::Same, "{}", unit.c);
    let mut made = 0;
    for (from, to) in [
        ("= ANY(", "= ALL("),
        ("= ALL(", "= ANY("),
        ("(a) + (b) == 2", "(a) + (b) != 0"),
        (" == 13))", "))"),
        (" != 13))", " + 13))"),
        ("(x0 == 32) |", "x0 |"),
    ] {
        for c in each_place(&unit.c, from, to) {
            let verdict = compared(&CUnit { c, ..unit.clone() }, &nest);
            assert_ne!(verdict, Verdict::Same, "{from}");
            made += 1;
        }
    }
    assert!(made > 5, "{made}: {}", unit.c);
}

/// Of one kind of change and one text, at most.
const MOST: usize = 30;

/// A loop that costs nothing, and one whose cost is a difference of which only what is added is counted.
#[test]
fn loops_that_take_no_cycles_are_read() {
    let mut nest = rows();
    let shares: Vec<Symbol> = nest.entry.shares.keys().copied().collect();
    assert!(!shares.is_empty(), "no loop has threads: {nest}");
    for cycles in [Nat::int(0), Nat::int(-1) * Nat::var(Symbol::new("n"))] {
        for var in &shares {
            nest.entry.shares.insert(*var, cycles);
        }
        assert!(printed(&nest, Contract::Off).c.contains(", 0.0)"));
        assert_eq!(same("no cycles", &nest, Contract::Off), None);
    }
}

/// What constants give is computed by compilers, and is read as that number.
#[test]
fn constants_are_computed_with() {
    let operations = [
        "0 - 38",
        "7 * 9",
        "5 + (0 - 3 * 4)",
        "2147483647 + 1",
        "neg 38",
        "-128 - 1",
        "shl (5 - 7) 3",
    ];
    for ty in ["i8", "i16", "i32", "i64", "u8", "u32"] {
        for operation in operations {
            if ty != "i32" && ty != "i64" && operation.contains("2147")
                || ty.starts_with('u') && operation.contains('-')
            {
                continue;
            }
            let text = format!("def f [n : nat] (x : n.{ty}) : n.{ty} = let t = toMem (makeArray[2] ({operation}) 1) in x |> map (\\v -> v * at[0] t + ({operation}))");
            let nest = lower(&common::program_text(&text), &lower::Options::default());
            let nest = nest.unwrap_or_else(|d| panic!("{text}: {d:?}"));
            assert_eq!(same(&text, &nest, Contract::Off), None);
        }
    }
}

fn changed_programs() -> Vec<Nest> {
    CHANGED.iter().map(|name| own(name)).collect()
}

/// A program of the tests, with vectors of half the length that some of them have.
fn own(name: &str) -> Nest {
    let text = fs::read_to_string(format!("tests/kernels/{name}.rise")).unwrap();
    let mut program = common::program_text(&text);
    program.term = normalize(&program.term);
    let options = lower::Options {
        target: Target::Avx2,
        approximate: true,
        ..Default::default()
    };
    lower(&program, &options).unwrap_or_else(|d| panic!("{text}: {d:?}"))
}

/// Without comments, which say nothing.
fn bare(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        out += &rest[..at];
        rest = &rest[at..];
        rest = &rest[rest.find("*/").map_or(rest.len(), |i| i + 2)..];
    }
    out + rest
}

/// The text with another word at each place of one, in turn.
fn each_place(text: &str, from: &str, to: &str) -> Vec<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let places = text.match_indices(from).filter(|(i, _)| {
        let (before, behind) = (&text[..*i], &text[i + from.len()..]);
        let inside = from.starts_with(word) && before.ends_with(word)
            || from.ends_with(word) && behind.starts_with(word);
        !inside
    });
    places
        .map(|(i, _)| format!("{}{to}{}", &text[..i], &text[i + from.len()..]))
        .collect()
}

/// Words for others: what is called by one name is one kind of change.
const WORDS: &[(&str, &str, &str)] = &[
    ("a bound that is reached", " < ", " <= "),
    ("another comparison", " < ", " > "),
    ("another condition", " == ", " != "),
    ("a loop that is left on another condition", "if (!", "if ("),
    (
        "a loop that is left anyway",
        "++) {\n",
        "++) {\nif (!0) break;\n",
    ),
    (
        "a loop that is left anyway",
        "        acc",
        "        if (!0) break;\n        acc",
    ),
    ("another sign", " + ", " - "),
    ("another sign", " - ", " + "),
    ("another operation", " * ", " + "),
    ("another operation", " / ", " % "),
    ("another operation", " % ", " / "),
    ("another condition", " && ", " || "),
    ("another condition", " || ", " && "),
    ("another cast", "(float)", "(double)"),
    ("another cast", "(int32_t)", "(int16_t)"),
    ("another cast", "(int32_t)", "(uint32_t)"),
    ("another cast", "(uint32_t)", "(int32_t)"),
    ("another cast", "(uint32_t)", "(uint16_t)"),
    ("another cast", "(f32x8)", "(i32x8)"),
    ("another type", "float", "double"),
    ("another type", "f32x8", "f32x4"),
    ("another type", "int32_t", "int64_t"),
    ("an index of 32 bits", "int64_t", "int32_t"),
    ("what may be written by others", " *restrict ", " *"),
    ("what may be written by others", "_mem *", " *"),
    ("another alignment", "aligned(64)", "aligned(16)"),
    ("another alignment", "aligned(4)", "aligned(32)"),
    ("another alignment", ", may_alias", ""),
    ("another error code", "V_MAIN_ERR_SIZE", "V_MAIN_ERR_MEMORY"),
    ("another error code", "V_MAIN_ERR_MEMORY", "V_MAIN_ERR_SIZE"),
    ("another error code", "V_MAIN_ERR_INDEX", "V_MAIN_ERR_SIZE"),
    ("another error code", "V_MAIN_ERR_SIZE", "0"),
    ("another place in memory", "heap + parts[0]", "heap"),
    ("another place in memory", "thread_index()", "0"),
    ("less memory", "total + 64", "total"),
    ("less memory", "thread_count()", "1"),
    ("less memory", ", 4)", ", 2)"),
    ("another hint", "PARALLEL_FOR", "ROLLED"),
    ("another hint", "ROLLED", "REPEATED"),
    ("another hint", "_Pragma(\"GCC ivdep\")", ""),
    ("another hint", "omp parallel for", "omp for"),
    ("another hint", "dynamic", "static"),
    ("another hint", "schedule(static)", "schedule(dynamic)"),
    ("another hint", "PARALLEL_STATIC", "INDEPENDENT"),
    ("another number of cycles", "_THREADS(", "_THREADS(1 + "),
    ("another number of cycles", ".0 * (double)", ".5 * (double)"),
    (
        "threads without need",
        "if (WORTH_THREADS(",
        "if (!WORTH_THREADS(",
    ),
    ("another variable", "a", "b"),
    ("another variable", "m", "n"),
    ("another variable", "n", "m"),
    ("another variable", "i0", "i1"),
    ("another variable", "x0", "x1"),
    ("another variable", "x1", "x0"),
    ("another function", "exp", "exp2"),
    ("another function", "SELECT_f32x8", "MIN_f32x8"),
    ("another function", "floor_div", "ceil_div"),
    ("another function", "min_index", "max_index"),
    ("another function", "div_i32", "mod_i32"),
    ("another end", "return 0", "return 1"),
];

/// Every number by another one.
fn numbers(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut at = 0;
    while let Some(i) = text[at..].find(|c: char| c.is_ascii_digit()) {
        let start = at + i;
        let end = start
            + text[start..]
                .find(|c: char| !word(c))
                .unwrap_or(text.len() - start);
        if let (false, Ok(n)) = (
            text[..start].ends_with(word),
            text[start..end].parse::<u64>(),
        ) {
            out.push(format!("{}{}{}", &text[..start], n + 1, &text[end..]));
        }
        at = end;
    }
    out
}

/// Without a line that says something.
fn without_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let says = |l: &str| !l.trim().is_empty() && !l.trim().starts_with("(void)");
    let chosen = (0..lines.len()).filter(|i| says(lines[*i]));
    chosen
        .map(|i| [&lines[..i], &lines[i + 1..]].concat().join("\n"))
        .collect()
}

/// Without parentheses around a sum that is multiplied, divided or subtracted.
fn without_parentheses(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (i, _) in text.match_indices('(') {
        let mut depth = 0;
        let end = text[i..].char_indices().find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0
        });
        let Some((length, _)) = end else { continue };
        let inner = &text[i + 1..i + length];
        let (before, behind) = (&text[..i], &text[i + length + 1..]);
        let sum = inner.contains(" + ") || inner.contains(" - ");
        let plain = !inner.contains(['(', ')', ',', ';', '{', '?', '<', '>', '=']);
        let bound = ["* ", "- ", "/ ", "% "].iter().any(|s| before.ends_with(s))
            || [" *", " /", " %"].iter().any(|s| behind.starts_with(s));
        if sum && plain && bound {
            out.push(format!("{before}{inner}{behind}"));
        }
    }
    out
}

/// `x - y` by `y - x`.
fn swapped(text: &str) -> Vec<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = Vec::new();
    for sign in [" - ", " < ", " / "] {
        for (i, _) in text.match_indices(sign) {
            let start = text[..i].rfind(|c| !word(c)).map_or(0, |i| i + 1);
            let rest = &text[i + 3..];
            let end = i + 3 + rest.find(|c| !word(c)).unwrap_or(rest.len());
            let (x, y) = (&text[start..i], &text[i + 3..end]);
            let sum = text[..start].ends_with("- ") || text[end..].starts_with(" - ");
            let whole = !sum
                && !text[..start].ends_with(['.', ')', ']'])
                && !text[end..].starts_with(['(', '[', '.']);
            if whole && !x.is_empty() && !y.is_empty() && x != y {
                out.push(format!("{}{y}{sign}{x}{}", &text[..start], &text[end..]));
            }
        }
    }
    out
}

/// Whether what is cast otherwise is an argument that C converts.
fn is_converted_anyway(text: &str, changed: &str) -> bool {
    let line = text.lines().zip(changed.lines()).find(|(a, b)| a != b);
    line.is_some_and(|(a, b)| {
        let cast = |l: &str| {
            ["clamp_index((", "bound_index((", "_to_f16((", "_to_bf16(("]
                .iter()
                .any(|c| l.contains(c))
        };
        cast(a)
            && a.matches('(').count() == b.matches('(').count()
            && a.matches('-').count() == b.matches('-').count()
    })
}

fn changes(text: &str) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    // Spread over the whole text.
    let mut more = |kind, texts: Vec<String>| {
        let every = texts.len().div_ceil(MOST).max(1);
        all.extend(texts.into_iter().step_by(every).map(|t| (kind, t)));
    };
    for (kind, from, to) in WORDS {
        more(*kind, each_place(text, from, to));
    }
    more("another number", numbers(text));
    more("a line that is missing", without_lines(text));
    more("parentheses that are missing", without_parentheses(text));
    more("operands that changed places", swapped(text));
    all.retain(|(_, t)| t != text && !is_converted_anyway(text, t));
    all
}

/// Floats of which it is not known that they fit an integer are not converted as if they did.
#[test]
fn floats_that_may_not_fit_are_noticed() {
    let nest = own("fitting");
    let unit = printed(&nest, Contract::On);
    assert_eq!(compared(&unit, &nest), Verdict::Same);
    assert!(unit.c.matches("= f32_in_").count() >= 3, "{}", unit.c);
    let mut made = 0;
    for (from, to) in [
        ("= f32_to_i8(", "= f32_in_i8("),
        ("= f32_to_u8(", "= f32_in_u8("),
    ] {
        for c in each_place(&unit.c, from, to) {
            let verdict = compared(&CUnit { c, ..unit.clone() }, &nest);
            assert!(matches!(verdict, Verdict::Unread(_)), "{from}: {verdict:?}");
            made += 1;
        }
    }
    assert_eq!(made, 3);
}

/// Of two truth values both are computed only where the second can be: no element is read, nothing is divided.
#[test]
fn truths_that_are_not_asked_for_are_noticed() {
    let nest = own("truths");
    let unit = printed(&nest, Contract::On);
    assert_eq!(compared(&unit, &nest), Verdict::Same);
    assert!(unit.c.matches(" & (").count() >= 4, "{}", unit.c);
    let mut made = 0;
    for (from, to) in [
        (" && ", " & "),
        (") & (", ") | ("),
        (") | (", ") & ("),
        (" & ((", " ^ (("),
        ("= acc1 & (", "= acc1 + ("),
        ("uint8_t acc1 = true", "uint8_t acc1 = 3"),
        ("uint8_t acc1 = true", "int8_t acc1 = true"),
    ] {
        for c in each_place(&unit.c, from, to) {
            // Helpers of every kernel are compared with known ones.
            let verdict = compared(&CUnit { c, ..unit.clone() }, &nest);
            assert_ne!(verdict, Verdict::Same, "{from}");
            made += 1;
        }
    }
    assert!(made > 9, "{made}: {}", unit.c);
}

/// Iterations are left out where none of them changes anything, and no others.
#[test]
fn iterations_are_left_out_where_they_may_be() {
    let nest = own("seldom");
    let unit = printed(&nest, Contract::On);
    assert_eq!(compared(&unit, &nest), Verdict::Same);
    let block = |t: &str| -> String {
        let (before, rest) = t.split_once("if (i2 % 32 == 0").expect("a block");
        let (_, behind) = rest.split_once("const uint8_t x8").expect("what it does");
        format!("{before}const uint8_t x8{behind}")
    };
    assert!(unit.c.matches("} else {").count() >= 2, "{}", unit.c);
    let mut changed = vec![block(&unit.c)];
    let changes = [
        ("% 32 == 0", "% 32 != 0"),
        ("% 32 == 0", "% 16 == 0"),
        (" + 32 <= ", " + 31 <= "),
        (" + 32 <= n", " + 32 <= n + 1"),
        ("int32_t changes = 0", "int32_t changes = 1"),
        ("int32_t changes = 0", "uint8_t changes = 0"),
        ("(int64_t ahead_ = i2;", "(int64_t ahead_ = i2 + 1;"),
        ("(int64_t ahead_ = i2;", "(int32_t ahead_ = i2;"),
        ("ahead_ < i2 + 32", "ahead_ < i2 + 31"),
        ("changes = changes | (", "changes = changes & ("),
        ("changes = changes | (", "changes = ("),
        ("changes = changes | (", "changes = changes | !("),
        ("> acc3);", ">= acc3);"),
        ("z[ahead_]", "z[i2]"),
        ("if (!changes)", "if (changes)"),
        ("i2 = i2 + 31;", "i2 = i2 + 32;"),
        ("i2 = i2 + 31;", ""),
        ("continue;", "break;"),
        ("continue;", ""),
        ("if (n >= 128)", "if (n >= 0)"),
        ("if (n >= 128)", "if (n + 1 >= 128)"),
        ("if (n >= 128)", "if (n < 128)"),
        ("EITHER(x15 > acc6)", "EITHER(!(x15 > acc6))"),
        ("EITHER(x15 > acc6)", "UNLIKELY(x15 > acc6)"),
    ];
    for (from, to) in changes {
        let all = each_place(&unit.c, from, to);
        assert!(!all.is_empty(), "{from}: {}", unit.c);
        changed.extend(all);
    }
    for c in changed {
        let verdict = compared(
            &CUnit {
                c: c.clone(),
                ..unit.clone()
            },
            &nest,
        );
        assert_ne!(verdict, Verdict::Same, "{c}");
    }
}

/// An index is taken as it is only where it lies below its bound, and is short only where it is no part of a sum.
#[test]
fn indices_that_may_not_be_below_are_noticed() {
    let nest = own("below-bounds");
    let unit = printed(&nest, Contract::On);
    assert_eq!(compared(&unit, &nest), Verdict::Same);
    assert_eq!(unit.c.matches("const int32_t j").count(), 3, "{}", unit.c);
    assert_eq!(unit.c.matches("= clamp_index(").count(), 2, "{}", unit.c);
    assert_eq!(unit.c.matches("= bound_index(").count(), 1, "{}", unit.c);
    let mut made = 0;
    for (from, to) in [
        ("= bound_index((int64_t)x0, 200)", "= (int64_t)x0"),
        ("int64_t j6 = clamp_index(", "int64_t j6 = bound_index("),
        (
            "int64_t j1 = bound_index((int64_t)x0, 200)",
            "int32_t j1 = x0",
        ),
        (
            "const int64_t j5 = (int64_t)",
            "const int32_t j5 = (int32_t)",
        ),
        ("const int32_t j2 = ", "const int32_t j2 = 1 + "),
        ("const int32_t j2 = ", "const uint8_t j2 = "),
    ] {
        for c in each_place(&unit.c, from, to) {
            let verdict = compared(&CUnit { c, ..unit.clone() }, &nest);
            assert_ne!(verdict, Verdict::Same, "{from}");
            made += 1;
        }
    }
    assert_eq!(made, 6, "{}", unit.c);
}

/// Loops are left where they change nothing any more, on that condition, and no others.
#[test]
fn loops_are_left_where_they_may_be() {
    let mut made = std::collections::BTreeMap::new();
    for name in ["settled", "never-settled"] {
        let nest = own(name);
        let unit = printed(&nest, Contract::On);
        assert_eq!(compared(&unit, &nest), Verdict::Same);
        let leave = "if (!x0) break;\n";
        let changes = [
            ("another condition", each_place(&unit.c, "if (!", "if (")),
            ("another condition", each_place(&unit.c, "(~(", "((")),
            (
                "another condition",
                each_place(&unit.c, " || ANY", " && ANY"),
            ),
            (
                "another variable",
                each_place(&unit.c, "ANY_i32x8((~(x4)))", "ANY_i32x8((~(x5)))"),
            ),
            ("no condition", each_place(&unit.c, "if (!x0) break;", "")),
            (
                "a loop of another kind",
                each_place(&unit.c, "++) {\n", &format!("++) {{\n{leave}")),
            ),
            (
                "behind what it changes",
                each_place(&unit.c, "acc0 = x1;\n", &format!("acc0 = x1;\n{leave}")),
            ),
        ];
        for (kind, texts) in changes {
            for c in texts {
                let changed = CUnit { c, ..unit.clone() };
                let verdict = compared(&changed, &nest);
                assert_ne!(verdict, Verdict::Same, "{kind}: {}", changed.c);
                *made.entry(kind).or_insert(0) += 1;
            }
        }
    }
    assert_eq!(made.len(), 5, "{made:?}");
    assert!(made.values().sum::<i32>() > 15, "{made:?}");
}

#[test]
fn whatever_is_changed_is_noticed() {
    let mut made = std::collections::BTreeMap::new();
    let mut missed = Vec::new();
    for nest in changed_programs() {
        let mut unit = printed(&nest, Contract::On);
        unit.c = bare(&unit.c);
        unit.header = bare(&unit.header);
        assert_eq!(compared(&unit, &nest), Verdict::Same);
        let sources = changes(&unit.c)
            .into_iter()
            .map(|(kind, c)| (kind, CUnit { c, ..unit.clone() }));
        let headers = changes(&unit.header).into_iter().map(|(kind, header)| {
            (
                kind,
                CUnit {
                    header,
                    ..unit.clone()
                },
            )
        });
        for (kind, changed) in sources.chain(headers) {
            *made.entry(kind).or_insert(0) += 1;
            if compared(&changed, &nest) == Verdict::Same {
                let lines = changed.c.lines().zip(unit.c.lines()).find(|(a, b)| a != b);
                missed.push(format!("{kind}: {lines:?}"));
            }
        }
    }
    assert!(
        missed.is_empty(),
        "{} are missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
    assert!(made.len() >= 21, "{made:?}");
    assert!(made.values().sum::<usize>() > 2000, "{made:?}");
}

/// Rooms of threads whose number of elements is known are read, too: panels of a product whose sizes are all fixed.
#[test]
fn rooms_of_threads_of_known_sizes_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let c = dir.path().join("mm.c");
    let sizes = "m=256,n=1024,k=1024";
    let auto = ["--auto", "--permit", "reassociate", "--target", "avx512"];
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_rise-opt"))
        .args(["programs/mm.rise", "--set", sizes, "-o"])
        .arg(&c)
        .args(auto)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(said.contains("the C text says the same"), "{said}");
    let text = fs::read_to_string(&c).unwrap();
    assert!(text.contains("room(thread_count() * "), "{text}");
}
