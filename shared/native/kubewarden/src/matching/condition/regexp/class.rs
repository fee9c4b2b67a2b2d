//! Classes of characters.

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// The classes of Perl, which are ASCII (`perl_groups.go`).
const PERL: [(char, &[(char, char)]); 3] = [
    ('d', &[('0', '9')]),
    ('s', &[('\t', '\n'), ('\u{c}', '\r'), (' ', ' ')]),
    ('w', &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
];

const POSIX: [(&str, &[(char, char)]); 14] = [
    ("alnum", &[('0', '9'), ('A', 'Z'), ('a', 'z')]),
    ("alpha", &[('A', 'Z'), ('a', 'z')]),
    ("ascii", &[('\0', '\u{7f}')]),
    ("blank", &[('\t', '\t'), (' ', ' ')]),
    ("cntrl", &[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')]),
    ("digit", &[('0', '9')]),
    ("graph", &[('!', '~')]),
    ("lower", &[('a', 'z')]),
    ("print", &[(' ', '~')]),
    ("punct", &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
    ("space", &[('\t', '\r'), (' ', ' ')]),
    ("upper", &[('A', 'Z')]),
    ("word", &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
    ("xdigit", &[('0', '9'), ('A', 'F'), ('a', 'f')]),
];

const CATEGORIES: &str = "C Cc Cf Cn Co Cs L LC Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk \
     Sm So Z Zl Zp Zs";

/// The long names of categories, in the spelling that [`canonical`] gives.
const LONG_NAMES: &str = "Casedletter=LC Closepunctuation=Pe Combiningmark=M Connectorpunctuation=Pc Control=Cc \
     Currencysymbol=Sc Dashpunctuation=Pd Decimalnumber=Nd Enclosingmark=Me Finalpunctuation=Pf Format=Cf \
     Initialpunctuation=Pi Letter=L Letternumber=Nl Lineseparator=Zl Lowercaseletter=Ll Mark=M Mathsymbol=Sm \
     Modifierletter=Lm Modifiersymbol=Sk Nonspacingmark=Mn Number=N Openpunctuation=Ps Other=C Otherletter=Lo \
     Othernumber=No Otherpunctuation=Po Othersymbol=So Paragraphseparator=Zp Privateuse=Co Punctuation=P Separator=Z \
     Spaceseparator=Zs Spacingmark=Mc Surrogate=Cs Symbol=S Titlecaseletter=Lt Unassigned=Cn Uppercaseletter=Lu \
     Cntrl=Cc Digit=Nd Punct=P Lc=LC";

/// The scripts with a name of one word.
const SCRIPTS: &str = "Adlam Ahom Arabic Armenian Avestan Balinese Bamum Batak Bengali Bhaiksuki Bopomofo Brahmi Braille \
     Buginese Buhid Carian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cyrillic \
     Deseret Devanagari Dogra Duployan Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek \
     Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana Inherited Javanese Kaithi Kannada \
     Katakana Kawi Kharoshthi Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Lisu Lycian Lydian Mahajani \
     Makasar Malayalam Mandaic Manichaean Marchen Medefaidrin Miao Modi Mongolian Mro Multani Myanmar \
     Nabataean Nandinagari Newa Nko Nushu Ogham Oriya Osage Osmanya Palmyrene Phoenician Rejang Runic \
     Samaritan Saurashtra Sharada Shavian Siddham Sinhala Sogdian Soyombo Sundanese Syriac Tagalog \
     Tagbanwa Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai \
     Vithkuqi Wancho Yezidi Yi";

/// The other scripts. Go accepts them up to 1.24 and, by an oversight, not from 1.25 on.
const LONG_SCRIPTS: &str = "Anatolian_Hieroglyphs Bassa_Vah Canadian_Aboriginal Caucasian_Albanian Cypro_Minoan Dives_Akuru \
     Egyptian_Hieroglyphs Gunjala_Gondi Hanifi_Rohingya Imperial_Aramaic Inscriptional_Pahlavi \
     Inscriptional_Parthian Kayah_Li Khitan_Small_Script Linear_A Linear_B Masaram_Gondi Meetei_Mayek \
     Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Nag_Mundari New_Tai_Lue Nyiakeng_Puachue_Hmong \
     Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian \
     Old_South_Arabian Old_Turkic Old_Uyghur Pahawh_Hmong Pau_Cin_Hau Phags_Pa Psalter_Pahlavi \
     SignWriting Sora_Sompeng Syloti_Nagri Tai_Le Tai_Tham Tai_Viet Warang_Citi Zanabazar_Square";

/// Characters whose folding is newer than Unicode 15.
const NOT_FOLDED: [char; 6] = ['\u{390}', '\u{3b0}', '\u{1fd3}', '\u{1fe3}', '\u{fb05}', '\u{fb06}'];

/// A character of the category `Mn` that newer versions have in `Mc`.
const MOVED: char = '\u{1171e}';

/// The characters of Unicode 15.
static ASSIGNED: LazyLock<ClassUnicode> = LazyLock::new(|| property(r"\p{age=15.0}"));

static FOLDED: LazyLock<ClassUnicode> = LazyLock::new(|| {
    let mut folded = property(r"\p{Changes_When_Casemapped}");
    folded.intersect(&ASSIGNED);
    folded.difference(&ClassUnicode::new(NOT_FOLDED.map(|one| ClassUnicodeRange::new(one, one))));
    folded
});

pub(super) enum Named {
    Class(ClassUnicode),
    /// It depends on the version of Go.
    Unknown,
    /// No version of Go has it.
    Missing,
}

/// Returns the class of an escape such as `\w`.
pub(super) fn perl(letter: char, fold: bool) -> Option<ClassUnicode> {
    let (_, class) = PERL.iter().find(|(lower, _)| *lower == letter.to_ascii_lowercase())?;
    Some(group(class, fold, letter.is_ascii_uppercase()))
}

/// Returns the class with a name such as `alpha` or `^alpha`.
pub(super) fn posix(name: &str, fold: bool) -> Option<ClassUnicode> {
    let positive = name.strip_prefix('^');
    let (_, class) = POSIX.iter().find(|(known, _)| *known == positive.unwrap_or(name))?;
    Some(group(class, fold, positive.is_some()))
}

/// Returns the class of `\p{NAME}`.
pub(super) fn unicode(name: &str, fold: bool) -> Named {
    let name = canonical(name);
    let has = |names: &str| names.split(' ').any(|known| known == name);
    let long = LONG_NAMES.split(' ').find_map(|pair| pair.strip_prefix(name.as_str())?.strip_prefix('='));
    let mut class = match name.as_str() {
        "Any" => range('\0', char::MAX),
        "Ascii" => range('\0', '\u{7f}'),
        "Assigned" => {
            let mut class = category("Cn");
            class.negate();
            return Named::Class(class);
        }
        _ if has(CATEGORIES) => category(&name),
        _ if has(SCRIPTS) => {
            let mut class = property(&format!(r"\p{{sc={name}}}"));
            class.intersect(&ASSIGNED);
            class
        }
        _ => match long {
            Some(short) => category(short),
            None if LONG_SCRIPTS.split(' ').any(|script| canonical(script) == name) => return Named::Unknown,
            None => return Named::Missing,
        },
    };
    // Go has no table of folding for this one.
    let is_cased = name == "Lc" || long == Some("LC");
    if fold && !is_cased {
        self::fold(&mut class);
    }
    Named::Class(class)
}

/// Adds the characters that differ from one of the class only in their case.
pub(super) fn fold(class: &mut ClassUnicode) {
    let mut folded = class.clone();
    folded.intersect(&FOLDED);
    folded.case_fold_simple();
    folded.intersect(&ASSIGNED);
    class.union(&folded);
}

pub(super) fn range(first: char, last: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(first, last)])
}

/// Writes a class so that it has one reading.
pub(super) fn write(class: &ClassUnicode, out: &mut String) {
    if class.ranges().is_empty() {
        out.push_str(r"[^\x{0}-\x{10FFFF}]");
        return;
    }
    out.push('[');
    for range in class.ranges() {
        // Writing to a text does not fail.
        let _ = write!(out, r"\x{{{:X}}}-\x{{{:X}}}", u32::from(range.start()), u32::from(range.end()));
    }
    out.push(']');
}

fn group(ranges: &[(char, char)], fold: bool, is_negated: bool) -> ClassUnicode {
    let mut class =
        ClassUnicode::new(ranges.iter().map(|(first, last)| ClassUnicodeRange::new(*first, *last)));
    if fold {
        self::fold(&mut class);
    }
    if is_negated {
        class.negate();
    }
    class
}

/// Returns a general category of Unicode 15: characters that are newer are unassigned.
fn category(name: &str) -> ClassUnicode {
    // No text has a surrogate.
    if name == "Cs" {
        return ClassUnicode::empty();
    }
    let mut class = property(&format!(r"\p{{gc={name}}}"));
    class.intersect(&ASSIGNED);
    // The only character of another category in newer versions.
    match name {
        "Mc" => class.difference(&range(MOVED, MOVED)),
        "Mn" => class.union(&range(MOVED, MOVED)),
        _ => {}
    }
    if matches!(name, "C" | "Cn") {
        let mut newer = ASSIGNED.clone();
        newer.negate();
        class.union(&newer);
    }
    class
}

/// Returns a class in the syntax of the crate `regex`. A test compares every one that is used with
/// Go's.
pub(super) fn property(class: &str) -> ClassUnicode {
    match regex_syntax::parse(class).map(regex_syntax::hir::Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => class,
        // A class of one character.
        Ok(HirKind::Literal(literal)) => {
            let characters = std::str::from_utf8(&literal.0).unwrap_or_default().chars();
            ClassUnicode::new(characters.map(|one| ClassUnicodeRange::new(one, one)))
        }
        _ => ClassUnicode::empty(),
    }
}

/// Returns a name as Go looks it up: without spaces, hyphens and underscores, and with one capital.
fn canonical(name: &str) -> String {
    let name = name.replace(['_', '-', ' '], "").to_ascii_lowercase();
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
