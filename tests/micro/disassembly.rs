//! Loops of a disassembled kernel: what is multiplied, what is on the stack.

use std::path::Path;
use std::process::Command;

/// An innermost loop.
#[derive(Debug)]
pub struct Loop {
    /// Fused multiplications and additions of whole registers.
    pub products: usize,
    /// Instructions that read or write a whole register on the stack.
    pub spills: Vec<String>,
    /// Whether some of it reads or writes some lanes only.
    pub masked: bool,
    /// Bytes of its code.
    pub bytes: u64,
    /// Cache lines in which it lies.
    pub lines: u64,
}

/// The innermost loops of an object file; what is missing if they cannot be had.
pub fn loops(object: &Path) -> Result<Vec<Loop>, String> {
    let run = Command::new("objdump")
        .args(["-d", "--no-show-raw-insn"])
        .arg(object)
        .output()
        .map_err(|e| format!("objdump cannot be started ({e}): install binutils"))?;
    if !run.status.success() {
        return Err(String::from_utf8_lossy(&run.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let lines: Vec<(u64, &str)> = text.lines().filter_map(instruction).collect();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (i, (address, code)) in lines.iter().enumerate() {
        let mut words = code.split_whitespace();
        let target = match (words.next(), words.next()) {
            (Some(op), Some(to)) if op.starts_with('j') => u64::from_str_radix(to, 16).ok(),
            _ => None,
        };
        let Some(target) = target.filter(|t| t <= address) else {
            continue;
        };
        if let Ok(start) = lines.binary_search_by_key(&target, |l| l.0) {
            found.push((start, i));
        }
    }
    // A loop with another one in it is not innermost.
    let inner = |l: &&(usize, usize)| !(found.iter()).any(|o| o != *l && l.0 <= o.0 && o.1 <= l.1);
    Ok((found.iter().filter(inner))
        .map(|&(start, end)| {
            let body = lines[start..=end].iter().map(|l| l.1);
            let on_stack = |c: &&str| {
                (c.contains("(%rsp") || c.contains("(%rbp"))
                    && ["%zmm", "%ymm", "%xmm"].iter().any(|r| c.contains(r))
            };
            let (first, behind) = (lines[start].0, lines.get(end + 1).map_or(0, |l| l.0));
            Loop {
                products: body.clone().filter(|c| c.starts_with("vfmadd")).count(),
                spills: (body.clone().filter(on_stack).map(str::to_string)).collect(),
                masked: (body.clone()).any(|c| c.contains("maskmov") || c.contains("{%k")),
                bytes: behind.saturating_sub(first),
                lines: behind.div_ceil(64).saturating_sub(first / 64),
            }
        })
        .collect())
}

/// Address and text of a line of the disassembly.
fn instruction(line: &str) -> Option<(u64, &str)> {
    let (address, code) = line.split_once(':')?;
    let address = u64::from_str_radix(address.trim(), 16).ok()?;
    (!code.trim().is_empty()).then(|| (address, code.trim()))
}
