//! The table of diagnostic codes: stable identifier, title, and what the process exits with.
//!
//! A code is never reused or renumbered. Each has a page in `docs/errors.md` and a golden message in
//! the test suite; a test walks this table and fails for a code without either. Hundreds group them:
//! 00 files, 01 syntax, 02 names, 03 types and sizes, 04 rules, 05 sketches, 06 search,
//! 07 lowering and emission, 08 running and checking, 09 the command line.

/// Exit codes of the process, by who has to act.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    /// The input has to change.
    Input = 1,
    /// The command line has to change.
    Usage = 2,
    /// The goal was not reached within the limits.
    Goal = 3,
    /// A check failed: run, verify, validate.
    Check = 4,
    /// rise-opt is at fault.
    Bug = 101,
    /// SIGINT ended the work, as a shell says it.
    Interrupted = 130,
}

#[derive(PartialEq, Eq, Debug)]
pub struct Code {
    /// `E0102`, or `W0101` for warnings.
    pub id: &'static str,
    pub title: &'static str,
    pub exit: Exit,
}

macro_rules! codes {
    ($($name:ident = $id:literal $exit:ident $title:literal;)*) => {
        $(#[doc = $title] pub const $name: &Code = &Code { id: $id, title: $title, exit: Exit::$exit };)*
        /// Every code, in order of declaration.
        pub const ALL: &[&Code] = &[$($name),*];
    };
}

codes! {
    FILE_MISSING = "E0001" Input "a file does not exist";
    FILE_DIRECTORY = "E0002" Input "a directory stands where a file is needed";
    FILE_EMPTY = "E0003" Input "a file is empty";
    FILE_BINARY = "E0004" Input "a file is not text";
    FILE_NOT_UTF8 = "E0005" Input "a file is not UTF-8";
    FILE_TOO_LONG = "E0006" Input "a file is too long";
    FILE_UNREADABLE = "E0007" Input "a file cannot be read";
    FILE_KIND = "E0008" Input "a file has an unknown extension";
    FILE_CYCLE = "E0009" Input "a file includes itself";

    BAD_CHARACTER = "E0101" Input "a character that no token contains";
    OPEN_COMMENT = "E0102" Input "a block comment is not closed";
    OPEN_STRING = "E0103" Input "a string is not closed";
    BAD_NUMBER = "E0104" Input "a number is malformed";
    NUMBER_RANGE = "E0105" Input "a number does not fit";
    EXPECTED = "E0106" Input "something else was expected here";
    NOT_CLOSED = "E0107" Input "a bracket is not closed";
    TOO_DEEP = "E0108" Input "an expression is nested too deeply";
    NOT_AN_ITEM = "E0109" Input "a line at column one does not start an item";
    WRONG_FILE = "E0110" Input "an item that this kind of file does not hold";

    UNKNOWN_NAME = "E0201" Input "a name that is not known";
    UNKNOWN_SIZE = "E0202" Input "a size that is not known";
    UNKNOWN_TYPE = "E0203" Input "a type that is not known";
    DUPLICATE = "E0204" Input "a name is declared twice";
    RECURSION = "E0205" Input "a definition uses itself";
    NO_ENTRY = "E0206" Input "there is no such definition to compile";
    NOT_A_VALUE = "E0207" Input "something else stands where a value is needed";
    NOT_A_SIZE = "E0208" Input "something else stands where a size is needed";
    NOT_A_TYPE = "E0209" Input "something else stands where a type is needed";

    TYPE_MISMATCH = "E0301" Input "two types do not agree";
    SIZE_MISMATCH = "E0302" Input "two sizes do not agree";
    INFINITE_TYPE = "E0303" Input "a type would contain itself";
    WRONG_CLASS = "E0304" Input "an operation is used at a type it does not work on";
    AMBIGUOUS = "E0305" Input "a type or size cannot be inferred";
    SIZE_ARGUMENTS = "E0306" Input "the wrong number of size arguments";
    IMPOSSIBLE_SIZE = "E0307" Input "a size that no array can have";
    TOO_MANY_ARGUMENTS = "E0308" Input "something that is not a function is applied";
    EXPRESSION_HOLE = "E0309" Input "a hole is left in a program";
    LITERAL_RANGE = "E0310" Input "a literal does not fit its type";
    TOO_LARGE = "E0311" Input "a program is too large once its definitions are put in";
    NOT_DATA = "E0312" Input "a kernel takes or gives a function";
    UNSUPPORTED = "E0313" Input "a form that is not supported here";
    INDEX_OUT_OF_BOUNDS = "E0314" Input "an index is out of bounds";
    BITCAST_WIDTH = "E0315" Input "a bit cast between types that are not as wide";
    CAST_LANES = "E0316" Input "a cast between types of other lanes";

    RULE_SCOPE = "E0401" Input "a rule uses a bound variable out of its scope";
    RULE_UNBOUND = "E0402" Input "a rule needs something that its left side does not bind";
    RULE_CONDITION = "E0403" Input "a side condition is malformed";
    UNKNOWN_RULE = "E0404" Input "a rule or rule set that is not known";
    SCALAR_FUNCTION = "E0411" Input "a function that scalars do not have";
    SCALAR_SORT = "E0412" Input "a scalar expression is of the wrong sort";
    SCALAR_CONDITION = "E0413" Input "a condition reads a term outside of prove";
    SCALAR_FORM = "E0414" Input "something else stands where a scalar expression is needed";
    SCALAR_LANES = "E0415" Input "a number of lanes is not constant";
    SCALAR_PATTERN = "E0416" Input "a left side is no operation";
    RULE_DOMAIN = "E0417" Input "rules of an unknown or another domain";
    SCALAR_VARIABLES = "E0418" Input "a rule over scalars has too many variables or operators";

    UNKNOWN_SKETCH = "E0501" Input "a sketch definition that is not known";
    NOT_A_SKETCH = "E0502" Input "something else stands where a sketch is needed";
    SKETCH_ARGUMENTS = "E0503" Input "a sketch takes another number of arguments";
    SKETCH_IMPOSSIBLE = "E0504" Input "a sketch that no program can satisfy";
    NO_SKETCH = "E0505" Input "a step has no sketch";
    BAD_SETTING = "E0506" Input "a setting of a step is not known";

    GOAL_NOT_REACHED = "E0601" Goal "a sketch was not reached";
    SAVED_MALFORMED = "E0602" Input "a saved file cannot be read";
    SAVED_VERSION = "E0603" Input "a saved file is of another version";
    PLAN_PROGRAM = "E0604" Input "a plan is of another program";
    PLAN_STEP = "E0605" Input "a step of a plan does not fit";
    SAVED_KIND = "E0606" Input "a saved file is of another kind";
    NO_STEP = "E0607" Usage "a step that the search does not have";
    SAVED_OUTSIDE = "E0608" Input "a saved file asks for another file";
    GOAL_TWICE = "E0611" Usage "two goals of a comparison have one name";
    NO_THREAD = "E0612" Input "a search cannot be started";
    INTERRUPTED = "E0613" Interrupted "a search was interrupted";
    PROOF_STEP = "E0621" Check "a step of a proof does not hold";
    PROOF_PROGRAM = "E0622" Check "a proof is of another program";
    PROOF_MALFORMED = "E0623" Input "a proof speaks of something that is not there";
    NO_PROOF = "E0624" Bug "a proof could not be made";
    PROOF_KERNEL = "E0625" Check "a proof and a C file do not belong together";
    NOT_VALIDATED = "E0626" Check "a loop program is not shown to compute its term";
    TEXT_DIFFERS = "E0627" Check "a C text is not what its loop program says";
    NOT_CERTIFIED = "E0628" Check "a kernel is not certified";
    CERTIFICATE_WRONG = "E0629" Check "a certificate does not hold";
    RULES_LOOP = "E0641" Input "rules undo each other";
    TARGET_TOO_WIDE = "E0651" Usage "a kernel is for another machine";
    TARGET_FLAGS = "E0652" Input "the C compiler does not know a target";
    BENCH_C = "E0653" Input "a C file is no kernel of the program";
    BENCH_SIZE = "E0654" Usage "a program cannot be measured at a size";
    BENCH_TWICE = "E0655" Usage "two contestants have one name";

    RULE_WRONG = "E0671" Check "a rule is wrong";
    RULE_UNKNOWN = "E0672" Check "a rule is neither proved nor refuted";
    NO_SOLVER = "E0673" Input "there is no solver";
    VERIFY_RULE = "E0674" Usage "a rule that no file has is named";
    RULE_REFUTED = "E0675" Input "a wrong rule is to be used";
    RULE_UNVERIFIED = "E0676" Input "a rule without a verdict is to be used";

    RULE_NOT_ORDERED = "E0681" Check "rewriting by a rule may not end";
    RULE_CIRCLE = "E0682" Check "rewriting by a rule does not end";

    NOT_LOWERABLE = "E0701" Input "a term has no loop program";
    SIZES_EXCLUDED = "E0702" Input "fixed sizes contradict what the program assumes";
    KERNEL_TOO_LONG = "E0703" Input "the loop program grows too long";
    PARALLEL_VIEW = "W0704" Input "a parallel map makes no loop";

    NO_COMPILER = "E0801" Input "there is no C compiler";
    COMPILER_REFUSES = "E0802" Check "the C compiler does not take a kernel";
    KERNEL_DIED = "E0803" Check "a kernel crashed";
    KERNEL_HANGS = "E0804" Check "a kernel does not return";
    KERNEL_REFUSES = "E0805" Check "a kernel returned an error code";
    OUT_OF_BOUNDS = "E0806" Check "a kernel wrote outside of its result";
    MISMATCH = "E0807" Check "a kernel computes something else than the program";
    RUN_SIZES = "E0808" Input "there are no sizes to run a kernel with";
    RUN_MEMORY = "E0809" Input "there is no memory for the arrays of a run";
    NO_TEMP = "E0810" Input "the temporary folder cannot be used";
    NO_OPENMP = "W0811" Input "the C compiler has no OpenMP";
    NOT_REFUSED = "E0812" Check "a kernel takes sizes that it excludes";
    NOT_COMPARABLE = "E0813" Check "rounding may make anything of what a kernel computes";

    OUTPUT_UNWRITABLE = "E0901" Input "an output file cannot be written";
    SET_UNKNOWN = "E0902" Usage "a parameter that no file declares is set";
    NOT_FORMATTED = "E0903" Check "a file is not in the one layout";
    SIZE_CLASSES = "E0904" Usage "classes of sizes that are none";
}
