//! Where the progress of a search, or of other long work, is shown: a live line, plain lines, or nowhere.
//!
//! In: events of the search. Out: standard error, nothing else. Invariants: unless lines are asked
//! for, work shorter than [`SHORT`] shows nothing; the live line is gone before anything else is
//! printed. Absent: what a line says (`report`).

use crate::report;
use crate::search::progress::{Event, Observer, Phase};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::RefCell;
use std::io::{IsTerminal, Write};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Work that nobody needs to be told of, and the time between two lines that nobody asked for.
const SHORT: Duration = Duration::from_millis(500);
/// After so long without a line, one comes from inside of an iteration.
const LONG: Duration = Duration::from_secs(5);
/// The spinner turns while the search says nothing.
const TICK: Duration = Duration::from_millis(100);

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// A live line on a terminal, lines elsewhere; nothing for work below half a second, and
    /// nothing beside JSON
    #[default]
    Auto,
    /// A line after every iteration, and for every advice that is tried
    Plain,
    /// Nothing
    Off,
}

/// What was under way when somebody last looked, for those who end it half-way.
static DOING: Mutex<Option<String>> = Mutex::new(None);

/// Says on standard error that work is ended half-way, and where it was.
pub fn interrupted() {
    let doing = DOING.try_lock().ok().and_then(|mut doing| doing.take());
    // Over the live line, if there is one.
    let clear = if live() { "\r\x1b[K" } else { "" };
    let place = doing.map_or(String::new(), |d| format!(": {d}"));
    let _ = writeln!(
        std::io::stderr().lock(),
        "{clear}rise-opt: interrupted{place}"
    );
}

/// Work that is being shown.
pub struct Progress(pub Option<Rc<RefCell<Screen>>>);

pub struct Screen {
    begun: Instant,
    /// When the last line was printed.
    last: Instant,
    /// When it was noted last what is under way.
    seen: Option<Instant>,
    kind: Kind,
}

enum Kind {
    Live(Option<ProgressBar>),
    Lines { every: bool },
}

impl Progress {
    /// Begins to count the time. `json`: standard error is read by a program.
    pub fn start(mode: Mode, json: bool) -> Progress {
        let kind = match mode {
            Mode::Off => return Progress(None),
            Mode::Plain => Kind::Lines { every: true },
            Mode::Auto if json => return Progress(None),
            Mode::Auto if live() => Kind::Live(None),
            Mode::Auto => Kind::Lines { every: false },
        };
        let now = Instant::now();
        Progress(Some(Rc::new(RefCell::new(Screen {
            begun: now,
            last: now,
            seen: None,
            kind,
        }))))
    }

    /// Says how far other work is.
    pub fn note(&self, text: &str) {
        if let Some(screen) = &self.0 {
            screen.borrow_mut().note(text);
        }
    }

    /// What the search tells its events to.
    pub fn observer(&self) -> Observer {
        match &self.0 {
            None => Observer::default(),
            Some(screen) => {
                let screen = Rc::clone(screen);
                Observer::new(move |event| screen.borrow_mut().show(event))
            }
        }
    }
}

impl Drop for Progress {
    /// The live line goes.
    fn drop(&mut self) {
        *DOING.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Some(screen) = &self.0 {
            if let Kind::Live(Some(bar)) = &screen.borrow().kind {
                bar.finish_and_clear();
            }
        }
    }
}

impl Screen {
    fn show(&mut self, event: &Event) {
        let since = self.last.elapsed();
        let due = |every| due(event, every, since);
        self.line(due, || report::progress(event));
    }

    fn note(&mut self, text: &str) {
        let since = self.last.elapsed();
        self.line(|every| every || since >= LONG, || text.to_string());
    }

    fn line(&mut self, due: impl Fn(bool) -> bool, text: impl Fn() -> String) {
        if self.seen.is_none_or(|s| s.elapsed() >= TICK) {
            *DOING.lock().unwrap_or_else(PoisonError::into_inner) = Some(text());
            self.seen = Some(Instant::now());
        }
        match &mut self.kind {
            Kind::Live(bar) => {
                let elapsed = self.begun.elapsed();
                if elapsed >= SHORT {
                    bar.get_or_insert_with(|| new_bar(elapsed))
                        .set_message(text());
                }
            }
            Kind::Lines { every } => {
                if due(*every) {
                    let _ = writeln!(std::io::stderr().lock(), "{}", text());
                    self.last = Instant::now();
                }
            }
        }
    }
}

/// Whether an event gets a line, so long after the line before it.
pub fn due(event: &Event, every: bool, since: Duration) -> bool {
    match event.phase {
        // There are many tries: of each its beginning, and what takes long.
        Phase::Done if event.trying.is_some() => since >= LONG,
        Phase::Try | Phase::Done | Phase::Diagnose => every || since >= SHORT,
        _ => since >= LONG,
    }
}

/// Whether a line on standard error can be written again.
fn live() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}

fn new_bar(elapsed: Duration) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    let bar = bar.with_elapsed(elapsed);
    bar.enable_steady_tick(TICK);
    bar
}
