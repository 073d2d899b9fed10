//! A comparison as a picture: e-nodes over iterations, on a log scale, a panel for each goal.
//!
//! In: the comparison. Out: one SVG that needs nothing else and follows the reader's light or dark
//! theme. The steps of the guided search stand one after another, so its line falls where a step
//! starts with a fresh graph; what each search came to is written above its panel, where no line
//! runs. Rings mark sketches that were reached, crosses the limit that ended a search. All panels
//! have one scale of e-nodes. Invariant: the same data gives the same bytes.

use super::{memory, seconds, Comparison, Goal, Run};
use crate::report::svg::{self, escape, few, short};
use crate::search::Stop;
use std::fmt::Write as _;

/// Panels side by side.
const COLUMNS: usize = 3;
/// Of the picture, and between its parts.
const MARGIN: f64 = 20.0;
const PANEL: (f64, f64) = (336.0, 268.0);
/// Around the axes of a panel: above stand its title and results, below the iterations and steps.
const ABOVE: f64 = 58.0;
const BELOW: f64 = 40.0;
const LEFT: f64 = 38.0;
const RIGHT: f64 = 16.0;
const HEAD: f64 = 74.0;
const BOOK: f64 = 30.0;
/// An axis of fewer iterations would show a jump, not a line.
const FEWEST_ITERATIONS: usize = 4;
/// Marks on the axis of iterations.
const MARKS: usize = 6;
/// Average width of a character, as a part of the size of its font.
const CHARACTER: f64 = 0.53;

const STYLE: &str = "
svg{--back:#fff;--ink:#1f2328;--soft:#59636e;--grid:#d8dee4;--g:#0a62c9;--u:#c2540a;font:11px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}
@media(prefers-color-scheme:dark){svg{--back:#0d1117;--ink:#e6edf3;--soft:#9198a1;--grid:#2b3138;--g:#5aa9ff;--u:#f08c3c}}
.back{fill:var(--back)}text{fill:var(--ink)}.soft{fill:var(--soft)}
.title{font-size:16px;font-weight:600}.book{font-size:14px;font-weight:600}.goal{font-size:12.5px;font-weight:600}
.small{font-size:9.5px}.end{text-anchor:end}.mid{text-anchor:middle}
.grid{stroke:var(--grid);stroke-width:1}.step{stroke:var(--g);stroke-width:1;stroke-dasharray:1 3}
.limit{stroke:var(--u);stroke-width:1;stroke-dasharray:5 3}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round}.unguided .line{stroke-width:2.6}
.guided .line{stroke:var(--g)}.unguided .line{stroke:var(--u)}
.guided .dot,.guided .tag{fill:var(--g)}.unguided .dot,.unguided .tag{fill:var(--u)}
.ring{fill:var(--back);stroke-width:1.8}.guided .ring{stroke:var(--g)}.unguided .ring{stroke:var(--u)}
.cross{stroke-width:2.2;fill:none}.guided .cross{stroke:var(--g)}.unguided .cross{stroke:var(--u)}
";

pub fn svg(c: &Comparison) -> String {
    let books = c.books();
    let most = books.iter().map(|(_, goals)| goals.len()).max();
    let columns = most.unwrap_or(1).clamp(1, COLUMNS);
    // The title and the legend need the room of two panels.
    let width = 2.0 * MARGIN + PANEL.0 * columns.max(2) as f64;
    let mut body = String::new();
    let mut y = MARGIN + HEAD;
    let scale = Scale::new(c);
    for (book, goals) in books {
        if !book.is_empty() {
            text(
                &mut body,
                "book",
                MARGIN,
                y + 12.0,
                book,
                width - 2.0 * MARGIN,
            );
            y += BOOK;
        }
        for (i, goal) in goals.iter().enumerate() {
            let x = MARGIN + PANEL.0 * (i % columns) as f64;
            let row = (i / columns) as f64;
            panel(&mut body, goal, c, &scale, x, y + row * PANEL.1);
        }
        y += PANEL.1 * goals.len().div_ceil(columns) as f64;
    }
    let height = y + MARGIN / 2.0;
    let mut out = svg::open(width, height, &headline(c), STYLE);
    head(&mut out, c, width);
    out + &body + "</svg>\n"
}

fn headline(c: &Comparison) -> String {
    format!(
        "{}: e-nodes after each iteration, guided and unguided",
        c.program
    )
}

/// The title, and what the signs mean.
fn head(out: &mut String, c: &Comparison, width: f64) {
    let room = width - 2.0 * MARGIN;
    text(out, "title", MARGIN, MARGIN + 14.0, &headline(c), room);
    let y = MARGIN + 38.0;
    let mut x = MARGIN;
    for (mode, what) in [
        ("guided", "guided: a fresh graph for each step"),
        ("unguided", "unguided: all rules in one step"),
    ] {
        let _ = writeln!(
            out,
            "<g class=\"{mode}\"><path class=\"line\" d=\"M{} {}h22\"/>{}</g>",
            short(x),
            short(y - 4.0),
            dot(x + 11.0, y - 4.0)
        );
        text(out, "soft", x + 28.0, y, what, room);
        x += 28.0 + length(what, 11.0) + 20.0;
    }
    let y = y + 18.0;
    let _ = writeln!(
        out,
        "<g class=\"guided\">{}</g>\n<g class=\"unguided\">{}</g>",
        ring(MARGIN + 4.0, y - 4.0, "guided"),
        cross(MARGIN + 116.0, y - 4.0)
    );
    text(out, "soft", MARGIN + 14.0, y, "sketch reached", room);
    let limits = format!(
        "ended without it; limits of both searches: {}",
        c.limits.text()
    );
    text(out, "soft", MARGIN + 126.0, y, &limits, room - 126.0);
}

/// From e-nodes to height, the same in all panels.
struct Scale {
    low: u32,
    high: u32,
}

impl Scale {
    fn new(c: &Comparison) -> Scale {
        let runs = c.goals.iter().flat_map(Goal::runs);
        let steps = runs.flat_map(|(_, run)| &run.steps);
        let nodes = || {
            steps
                .clone()
                .flat_map(|s| s.points.iter().map(|p| p.nodes.max(1)))
        };
        let low = nodes().min().unwrap_or(1).ilog10();
        let high = nodes().max().unwrap_or(1);
        Scale {
            low,
            high: (high.ilog10() + 1).max(low + 1),
        }
    }

    /// Pixels below the top of axes of that height.
    fn y(&self, nodes: u64, height: f64) -> f64 {
        let log = (nodes.max(1) as f64).log10();
        let part = (log - f64::from(self.low)) / f64::from(self.high - self.low);
        height * (1.0 - part.clamp(0.0, 1.0))
    }
}

/// Where the axes of one panel are.
struct Axes<'a> {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    iterations: usize,
    scale: &'a Scale,
}

impl Axes<'_> {
    fn at(&self, iteration: usize, nodes: u64) -> (f64, f64) {
        let part = iteration as f64 / self.iterations as f64;
        (
            self.x + part * self.width,
            self.y + self.scale.y(nodes, self.height),
        )
    }
}

fn panel(out: &mut String, goal: &Goal, c: &Comparison, scale: &Scale, x: f64, y: f64) {
    let most = goal.runs().map(|(_, run)| run.iterations());
    let axes = Axes {
        x: x + LEFT,
        y: y + ABOVE,
        width: PANEL.0 - LEFT - RIGHT,
        height: PANEL.1 - ABOVE - BELOW - MARGIN / 2.0,
        iterations: most[0].max(most[1]).max(FEWEST_ITERATIONS),
        scale,
    };
    let _ = writeln!(out, "<g>\n<title>{}</title>", escape(&about(goal)));
    text(out, "goal", x, y + 14.0, &goal.name, PANEL.0 - RIGHT);
    for (i, (mode, run)) in goal.runs().into_iter().enumerate() {
        let base = y + 30.0 + 14.0 * i as f64;
        let _ = write!(out, "<g class=\"{mode}\">");
        text(out, "tag", x, base, mode, 60.0);
        out.push_str("</g>\n");
        text(
            out,
            "small",
            x + 62.0,
            base,
            &caption(run),
            PANEL.0 - 62.0 - 4.0,
        );
    }
    grid(out, &axes);
    if let Some(limit) = c.limits.nodes.filter(|n| n.max(&1).ilog10() < scale.high) {
        let (_, y) = axes.at(0, limit);
        let _ = writeln!(
            out,
            "<path class=\"limit\" d=\"M{} {}h{}\"><title>limit of e-nodes</title></path>",
            short(axes.x),
            short(y),
            short(axes.width)
        );
    }
    // The guided line is the shorter one, and stays visible on top.
    curve(out, "unguided", &goal.unguided, &axes);
    curve(out, "guided", &goal.guided, &axes);
    step_names(out, &goal.guided, &axes);
    out.push_str("</g>\n");
}

/// What a reader hears who does not see the lines.
fn about(goal: &Goal) -> String {
    let runs = goal
        .runs()
        .map(|(mode, run)| format!("{mode}: {}", caption(run)));
    format!("{}; {}", goal.title(), runs.join("; "))
}

/// `found · 9.2 s · 441 MB · 1.2M e-nodes`; what the limit says already is left out, and what
/// there is no room for.
fn caption(run: &Run) -> String {
    let mut parts = vec![run.result()];
    if !matches!(run.stop, Stop::Seconds(_)) {
        parts.push(seconds(run.seconds));
    }
    if !matches!(run.stop, Stop::Bytes(_) | Stop::Iterations(_)) {
        parts.push(memory(run.bytes));
    }
    if !matches!(run.stop, Stop::Nodes(_)) {
        parts.push(format!("{} e-nodes", few(run.largest.nodes)));
    }
    parts.join(" · ")
}

fn grid(out: &mut String, axes: &Axes) {
    let bottom = axes.y + axes.height;
    for decade in axes.scale.low..=axes.scale.high {
        let nodes = 10u64.saturating_pow(decade);
        let (x, y) = axes.at(0, nodes);
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{} {}h{}\"/>",
            short(x),
            short(y),
            short(axes.width)
        );
        text(out, "soft small end", x - 5.0, y + 3.5, &few(nodes), LEFT);
    }
    let every = nice(axes.iterations.div_ceil(MARKS));
    for i in (0..=axes.iterations).step_by(every) {
        let (x, _) = axes.at(i, 1);
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{} {}v4\"/>",
            short(x),
            short(bottom)
        );
        text(
            out,
            "soft small mid",
            x,
            bottom + 14.0,
            &i.to_string(),
            LEFT,
        );
    }
}

/// A search: its steps one after another, each from its own start.
fn curve(out: &mut String, mode: &str, run: &Run, axes: &Axes) {
    let _ = writeln!(out, "<g class=\"{mode}\">");
    let mut begin = 0;
    let mut marks = String::new();
    for (s, step) in run.steps.iter().enumerate() {
        let at = |(i, p): (usize, &super::Point)| axes.at(begin + i, p.nodes);
        let places: Vec<(f64, f64)> = step.points.iter().enumerate().map(at).collect();
        // A file from elsewhere may have a step without points.
        let Some(last) = places.len().checked_sub(1) else {
            continue;
        };
        let line: Vec<String> = places
            .iter()
            .map(|(x, y)| format!("{} {}", short(*x), short(*y)))
            .collect();
        let _ = writeln!(out, "<path class=\"line\" d=\"M{}\"/>", line.join("L"));
        if s > 0 {
            let _ = writeln!(
                out,
                "<path class=\"step\" d=\"M{} {}V{}\"/>",
                short(places[0].0),
                short(axes.y),
                short(axes.y + axes.height)
            );
        }
        for (i, ((x, y), p)) in places.iter().zip(&step.points).enumerate() {
            let sign = match step.stop {
                _ if i < last => dot(*x, *y),
                Stop::Found => ring(*x, *y, mode),
                _ => cross(*x, *y),
            };
            let tip = format!(
                "{}, iteration {i}: {} e-nodes",
                step.name,
                super::count(p.nodes)
            );
            let tip = if i == last {
                format!("{tip}, {}", ended(run, s))
            } else {
                tip
            };
            let _ = writeln!(marks, "<g><title>{}</title>{sign}</g>", escape(&tip));
        }
        begin += step.iterations();
    }
    out.push_str(&marks);
    out.push_str("</g>\n");
}

fn ended(run: &Run, step: usize) -> String {
    if step + 1 == run.steps.len() {
        run.result()
    } else {
        "sketch reached".to_string()
    }
}

/// The names of the guided steps below their part of the axis, cut or a number where it is narrow.
fn step_names(out: &mut String, run: &Run, axes: &Axes) {
    let y = axes.y + axes.height + 28.0;
    let mut begin = 0;
    out.push_str("<g class=\"guided\">\n");
    for (s, step) in run.steps.iter().enumerate() {
        let end = begin + step.iterations();
        let ((from, _), (to, _)) = (axes.at(begin, 1), axes.at(end, 1));
        let room = to - from;
        // A name of which little would be left is a number.
        let number = (s + 1).to_string();
        let name = if room > length("name", 9.5) + 4.0 {
            &step.name
        } else {
            &number
        };
        if length(&number, 9.5) <= room {
            text(out, "tag small mid", (from + to) / 2.0, y, name, room - 4.0);
        }
        begin = end;
    }
    out.push_str("</g>\n");
}

fn dot(x: f64, y: f64) -> String {
    format!(
        "<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"2\"/>",
        short(x),
        short(y)
    )
}

/// The unguided one is larger, so that both are seen where they meet.
fn ring(x: f64, y: f64, mode: &str) -> String {
    let r = if mode == "guided" { "3.6" } else { "5.4" };
    format!(
        "<circle class=\"ring\" cx=\"{}\" cy=\"{}\" r=\"{r}\"/>",
        short(x),
        short(y)
    )
}

fn cross(x: f64, y: f64) -> String {
    let (x, y) = (short(x - 4.0), short(y - 4.0));
    format!("<path class=\"cross\" d=\"M{x} {y}l8 8m0 -8l-8 8\"/>")
}

/// A text that is cut where its room ends.
fn text(out: &mut String, class: &str, x: f64, y: f64, text: &str, room: f64) {
    let size = match class {
        "title" => 18.0,
        "book" => 16.0,
        // Bold letters are wider.
        "goal" => 14.5,
        _ if class.contains("small") => 9.5,
        _ => 11.0,
    };
    let fits = (room / (size * CHARACTER)) as usize;
    svg::text(out, class, x, y, &svg::cut(text, fits));
}

/// About how wide a text is.
fn length(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * CHARACTER
}

/// 1, 2, 5, 10, 20, …: the next one.
fn nice(least: usize) -> usize {
    let mut power = 1;
    loop {
        for step in [1, 2, 5] {
            if step * power >= least {
                return step * power;
            }
        }
        power *= 10;
    }
}
