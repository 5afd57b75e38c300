"""Small faults in C sources, for scripts/mutate: finds where one can be made, and makes it.

A fault replaces a span of one file. Kinds:
    constant     an integer literal, one more or one less
    mask         a hexadecimal literal next to & or |, with one bit less
    comparison   < <=, > >=, == !=
    shift        << >>
    bitwise      & |, and &= |=
    logic        && ||
    arithmetic   + -, and += -=
    negation     a ! removed
    boolean      true false
    statement    an assignment, a call, a break or a continue removed
Comments, texts, preprocessor lines, assertions, prefetches, sizes of arrays and widths of bit fields are not changed.
"""
import hashlib
import re
from collections import namedtuple

Token = namedtuple("Token", "kind text start end")

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*)
       |(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
       |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
       |(?P<word>[A-Za-z_]\w*)
       |(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)

SWAPS = {
    "<": ("comparison", "<="),
    "<=": ("comparison", "<"),
    ">": ("comparison", ">="),
    ">=": ("comparison", ">"),
    "==": ("comparison", "!="),
    "!=": ("comparison", "=="),
    "<<": ("shift", ">>"),
    ">>": ("shift", "<<"),
    "&": ("bitwise", "|"),
    "|": ("bitwise", "&"),
    "&=": ("bitwise", "|="),
    "|=": ("bitwise", "&="),
    "&&": ("logic", "||"),
    "||": ("logic", "&&"),
    "+": ("arithmetic", "-"),
    "-": ("arithmetic", "+"),
    "+=": ("arithmetic", "-="),
    "-=": ("arithmetic", "+="),
}
BINARY_ONLY = {"&", "+", "-"}
LEFT_ALONE = {
    "BH_CHECK", "BH_ASSERT", "assert", "_Static_assert", "_Alignas", "__attribute__", "__builtin_prefetch",
    "__builtin_expect",
}
HEADS = {"if", "for", "while", "switch"}
NEVER_LEFT_OUT = HEADS | {
    "return", "goto", "case", "default", "do", "else", "typedef", "static", "extern", "struct", "enum", "union", "sizeof",
}


class Fault:
    """A span of a file and its replacement. `key` stays the same if other parts of the file change."""

    def __init__(self, path, source, start, end, replacement, kind):
        first = source.rfind("\n", 0, start) + 1
        last = source.find("\n", end)
        last = len(source) if last < 0 else last
        self.path, self.start, self.end, self.replacement, self.kind = path, start, end, replacement, kind
        self.line = source.count("\n", 0, start) + 1
        self.before = " ".join(source[first:last].split())
        self.after = " ".join((source[first:start] + replacement + source[end:last]).split())

    @property
    def key(self):
        return f"{self.path}: {self.before} => {self.after}"

    @property
    def folder(self):
        return self.path.rsplit("/", 1)[0]

    def rank(self, seed):
        """Returns a sort key that depends on the seed and the fault's key only."""
        return hashlib.sha256(f"{seed} {self.key}".encode()).hexdigest()

    def apply(self, source):
        # Lines keep their numbers, so that __LINE__ does not distinguish a mutant from the original.
        lost = source.count("\n", self.start, self.end) - self.replacement.count("\n")
        return source[: self.start] + self.replacement + "\n" * lost + source[self.end :]


def tokens_of(source):
    return [
        Token(m.lastgroup, m.group(), m.start(), m.end())
        for m in TOKEN.finditer(source)
        if m.lastgroup != "skip"
    ]


def closing(tokens, i):
    """Returns the index of the parenthesis that closes the one at i."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[j].text, 0)
        if depth == 0:
            return j
    return len(tokens) - 1


def alone(tokens):
    """Returns the indices of tokens that no fault may change."""
    out, i = set(), 0
    while i < len(tokens):
        end = i
        if tokens[i].text in LEFT_ALONE and i + 1 < len(tokens) and tokens[i + 1].text == "(":
            end = closing(tokens, i + 1)
            out.update(range(i, end + 1))
        elif [t.text for t in tokens[i : i + 3]] == ["{", "0", "}"]:
            out.add(i + 1)
        i = end + 1
    return out


def is_declaration(tokens, i):
    """Returns whether two names follow each other, like a type and the name that it declares."""
    if tokens[i].kind != "word" or tokens[i].text in ("return", "case", "goto", "else", "do"):
        return False
    j = i + 1
    while j < len(tokens) and tokens[j].text == "*":
        j += 1
    return j < len(tokens) and tokens[j].kind == "word"


def statement_starts(tokens):
    """Returns the indices at which a statement, a declaration or a member begins."""
    starts, depth = set(), 0
    for i, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0 and token.text in (";", "{", "}", ":", "else", "do"):
            starts.add(i + 1)
        if depth == 0 and token.text in HEADS and i + 1 < len(tokens) and tokens[i + 1].text == "(":
            starts.add(closing(tokens, i + 1) + 1)
    return starts


def statement_end(tokens, i):
    """Returns the index of the semicolon that ends a simple statement, or None."""
    for j in range(i, len(tokens)):
        if tokens[j].text in ("{", "}"):
            return None
        if tokens[j].text == ";":
            return j
    return None


def declared_sizes(tokens, starts):
    """Returns the indices of numbers that are sizes of arrays or widths of bit fields."""
    out = set()
    for i in starts:
        if i >= len(tokens) or not is_declaration(tokens, i):
            continue
        for j in range(i, len(tokens)):
            if tokens[j].text in (";", "=", "{"):
                break
            if tokens[j].kind == "number":
                out.add(j)
    return out


def numbers(text, beside_mask):
    """Yields the replacements of an integer literal: (kind, text)."""
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[1-9]\d*|0)([uUlL]*)", text)
    if not match:
        return
    value, suffix = int(match[1], 0), match[2]
    style = "0x%X" if match[1][:2] in ("0x", "0X") else "%d"
    yield "constant", style % (value + 1) + suffix
    if value:
        yield "constant", style % (value - 1) + suffix
    if beside_mask and style == "0x%X" and value:
        yield "mask", style % (value & ~(1 << (value.bit_length() - 1))) + suffix


def left_out(tokens, starts, skip):
    for i in sorted(starts):
        if i >= len(tokens) or i in skip or tokens[i].kind != "word":
            continue
        end = statement_end(tokens, i)
        single = tokens[i].text in ("break", "continue")
        if end is None or tokens[i].text in NEVER_LEFT_OUT or (is_declaration(tokens, i) and not single):
            continue
        if single or end > i + 1:
            yield tokens[i].start, tokens[end].start, "", "statement"


def spans(source):
    """Yields every fault of a source: (start, end, replacement, kind)."""
    tokens = tokens_of(source)
    skip, starts = alone(tokens), statement_starts(tokens)
    sizes = declared_sizes(tokens, starts)
    for i, token in enumerate(tokens):
        if i in skip or not 0 < i < len(tokens) - 1:
            continue
        before, after = tokens[i - 1], tokens[i + 1]
        operand_before = before.kind in ("word", "number") or before.text in (")", "]")
        if token.kind == "number" and i not in sizes:
            mask = {before.text, after.text} & {"&", "|", "&=", "|="} or before.text == "("
            for kind, text in numbers(token.text, mask):
                yield token.start, token.end, text, kind
        elif token.text in SWAPS and (token.text not in BINARY_ONLY or (operand_before and before.text != "return")):
            kind, text = SWAPS[token.text]
            yield token.start, token.end, text, kind
        elif token.text == "!":
            yield token.start, token.end, "", "negation"
        elif token.text in ("true", "false"):
            yield token.start, token.end, "false" if token.text == "true" else "true", "boolean"
    yield from left_out(tokens, starts, skip)


def faults_of(path, source):
    """Returns every fault of a file, each key once."""
    found = {}
    for span in spans(source):
        fault = Fault(path, source, *span)
        found.setdefault(fault.key, fault)
    return list(found.values())
