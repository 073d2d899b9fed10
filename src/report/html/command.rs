//! How to get the result again: command, versions, machine, the program as it was.
//!
//! In: a record. Out: HTML. Absent: times, which do not come again.

use super::highlight::{html, Language};
use super::text::{code, esc, first_lines, Page};
use crate::report::bytes;
use crate::report::record::Record;

const LINES: usize = 400;

pub fn write(r: &Record, p: &mut Page) {
    // A line may not break behind the hyphens of a flag.
    let words = r.command.split(' ');
    let words: Vec<String> = words.map(|w| format!("<span>{}</span>", esc(w))).collect();
    p.add(&format!(
        "<div class=\"reproduce\"><pre class=\"box\" tabindex=\"0\"><code id=\"the-command\">{}</code></pre></div>\n",
        words.join(" ")
    ));
    p.note(
        "The same version, files, rules and limits in counts give the same terms, the same counts and the same C. \
         Times and bytes are of this machine and this run.",
    );
    let m = &r.machine;
    let mut machine = vec![esc(&m.system)];
    machine.extend((!m.processor.is_empty()).then(|| esc(&m.processor)));
    machine.push(match m.cores {
        1 => "1 core".to_string(),
        n => format!("{n} cores"),
    });
    machine.extend((m.memory > 0).then(|| esc(&bytes(m.memory))));
    let compiler = match &r.run {
        Some(run) => format!(
            "{} <small>{}</small>",
            esc(&run.compiler),
            esc(&run.flags.join(" "))
        ),
        None => "none: the kernel was not compiled".to_string(),
    };
    p.facts(&[
        ("rise-opt", code(&r.rise_opt)),
        ("C compiler", compiler),
        ("Machine", machine.join(", ")),
        (
            "Target",
            match &r.kernel {
                Some(k) if r.command.contains("--target") => code(&k.target),
                Some(k) => format!(
                    "{0}, what the machine has; on another say {1}",
                    code(&k.target),
                    code(&format!("--target {}", k.target))
                ),
                None => "none: there is no kernel".to_string(),
            },
        ),
        ("Seed of random inputs", code(&r.seed.to_string())),
        (
            "Rules",
            match r.rules.all.len() {
                0 => "none".to_string(),
                n => format!("{n}, of hash {}", code(&r.rules.hash)),
            },
        ),
    ]);
    let file = r.program.file.as_deref().unwrap_or("a plan");
    p.add(&format!(
        "<h3>Program <small class=\"file\">{}</small></h3>\n",
        esc(file)
    ));
    let (shown, all) = first_lines(&r.program.text, LINES);
    p.add(&format!(
        "<pre class=\"box\" tabindex=\"0\"><code>{}</code></pre>\n",
        html(shown, Language::Rise)
    ));
    p.cut(shown.lines().count(), all, "lines");
    if let Some(k) = &r.kernel {
        let (shown, all) = first_lines(&k.header, LINES);
        p.add("<details><summary>The header</summary>\n");
        p.add(&format!(
            "<pre class=\"box\" tabindex=\"0\"><code>{}</code></pre>\n",
            html(shown, Language::C)
        ));
        p.cut(shown.lines().count(), all, "lines");
        p.add("</details>\n");
    }
}
