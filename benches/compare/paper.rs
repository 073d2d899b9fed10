//! What the paper "Sketch-Guided Equality Saturation" and the log of its implementation report.

/// Tables 3 and 4, on a laptop with a JVM: goal, guided, unguided.
pub const TABLES: [(&str, &str, &str); 7] = [
    (
        "baseline",
        "0.5 s, 20 MB, 2 rules, 51 e-nodes",
        "0.5 s, as guided",
    ),
    (
        "blocking",
        "7 s, 0.3 GB, 11K rules, 11K e-nodes",
        "> 1 h, 35 GB, 5M rules, 4M e-nodes",
    ),
    ("vectorization", "7 s, 0.3–0.5 GB, 6–11K rules", MISSED),
    ("loop-perm", "4 s, 0.3–0.5 GB, 6–11K rules", MISSED),
    ("array-packing", "5 s, 0.3–0.5 GB, 6–11K rules", MISSED),
    ("cache-blocks", "5 s, 0.3–0.5 GB, 6–11K rules", MISSED),
    ("parallel", "5 s, 0.3–0.5 GB, 6–11K rules", MISSED),
];

const MISSED: &str = "**not found** in 60 GB";

/// E-nodes of each guided step, before the first iteration and after each (figure 16).
pub const STEPS: [(&str, &str); 9] = [
    ("split", "40 100 225 560 1435 3782 9477"),
    (
        "reorder-1",
        "66 110 202 340 545 928 1679 2993 5343 7830 10813",
    ),
    ("reorder-2", "66 110 202 340 545 928 1679 2993 5343"),
    ("store", "130 635 1480 2837 5562"),
    ("lower-1", "151 291 429"),
    ("lower-2", "130 264 397"),
    ("lower-3", "157 326 487 629"),
    ("lower-4", "157 326 487 629"),
    ("lower-5", "157 326 487 629"),
];

/// The same of blocking in one step.
pub const UNGUIDED: (&str, &str) = (
    "blocking",
    "40 100 258 744 2193 6779 21207 67969 211439 632705 1705170 4185965",
);
