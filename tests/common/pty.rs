//! Commands whose standard error is a terminal.
//!
//! In: a command, the width of the terminal. Out: everything that it wrote there, and what would be seen of it at
//! any time: the few control sequences that progress bars and colours need are understood, any other is an error of
//! the test.

use rustix::pty::{grantpt, openpt, ptsname, unlockpt, OpenptFlags};
use rustix::termios::{tcsetwinsize, Winsize};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, ExitStatus, Stdio};

fn open(columns: u16) -> std::io::Result<(File, File)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let terminal = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OpenptFlags::NOCTTY.bits() as i32)
        .open(OsStr::from_bytes(name.as_bytes()))?;
    let size = Winsize {
        ws_row: 24,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&terminal, size)?;
    Ok((master.into(), terminal))
}

/// Runs a command to its end; gives what it wrote to the terminal.
pub fn run(mut command: Command, columns: u16) -> (ExitStatus, String) {
    let (mut master, terminal) = open(columns).expect("a pseudo-terminal");
    command.stderr(terminal).stdout(Stdio::null());
    command.env("TERM", "xterm").env_remove("NO_COLOR");
    let mut child = command.spawn().expect("the program starts");
    // The last handle of the terminal is then the child's, and reading ends with it.
    drop(command);
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(n) = master.read(&mut buffer) {
        if n == 0 {
            break;
        }
        bytes.extend(&buffer[..n]);
    }
    let status = child.wait().expect("the program ends");
    (status, String::from_utf8_lossy(&bytes).into_owned())
}

/// What is seen: lines, and where writing goes on.
pub struct Screen {
    columns: usize,
    pub lines: Vec<String>,
    line: usize,
    column: usize,
}

impl Screen {
    /// Shows a text; `seen` is called before every carriage return with what is seen then.
    pub fn show(text: &str, columns: usize, mut seen: impl FnMut(&Screen)) -> Screen {
        let mut screen = Screen {
            columns,
            lines: vec![String::new()],
            line: 0,
            column: 0,
        };
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            match c {
                '\r' => {
                    seen(&screen);
                    screen.column = 0;
                }
                '\n' => screen.down(),
                '\x1b' => {
                    assert_eq!(rest.next(), Some('['), "a control sequence");
                    let mut arguments = String::new();
                    let end = loop {
                        match rest.next() {
                            Some(c) if c.is_ascii_alphabetic() => break c,
                            Some(c) => arguments.push(c),
                            None => return screen,
                        }
                    };
                    screen.control(&arguments, end);
                }
                c => screen.put(c),
            }
        }
        screen
    }

    fn down(&mut self) {
        self.line += 1;
        if self.line == self.lines.len() {
            self.lines.push(String::new());
        }
    }

    fn put(&mut self, c: char) {
        if self.column == self.columns {
            self.down();
            self.column = 0;
        }
        let line = &mut self.lines[self.line];
        let mut chars: Vec<char> = line.chars().collect();
        chars.resize(chars.len().max(self.column + 1), ' ');
        chars[self.column] = c;
        *line = chars.into_iter().collect();
        self.column += 1;
    }

    fn control(&mut self, arguments: &str, end: char) {
        let line = &mut self.lines[self.line];
        match (end, arguments) {
            ('m', _) | ('h' | 'l', "?25") => {}
            ('K', "2") => line.clear(),
            ('K', "" | "0") => *line = line.chars().take(self.column).collect(),
            ('J', "" | "0") => {
                *line = line.chars().take(self.column).collect();
                self.lines.truncate(self.line + 1);
            }
            ('A', n) => self.line = self.line.saturating_sub(n.parse().unwrap_or(1)),
            ('B', n) => (0..n.parse().unwrap_or(1)).for_each(|_| self.down()),
            other => panic!("the control sequence {other:?}"),
        }
    }
}
