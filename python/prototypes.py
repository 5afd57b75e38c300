#!/usr/bin/env python3
"""Writes bhemu/_prototypes.py, the C interface as ctypes sees it, from include/bhemu.h.

    python/prototypes.py            # writes the file
    python/prototypes.py --check    # exit status 1 if the file does not agree with the header

With --check the compiler ($CC, or cc) also compares the size of each structure and the offset of each member with those
that ctypes computes. Users of the module need no compiler.
"""

import argparse
import ctypes
import os
import pathlib
import re
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
HEADER = HERE.parent / "include" / "bhemu.h"
OUTPUT = HERE / "bhemu" / "_prototypes.py"

SCALARS = {
    "void": "None",
    "bool": "c_bool",
    "_Bool": "c_bool",
    "char": "c_char",
    "int": "c_int",
    "unsigned": "c_uint",
    "size_t": "c_size_t",
    **{f"{sign}int{bits}_t": f"c_{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*|<<|>>|\S')


class Unknown(Exception):
    """The header contains something that this script does not understand."""


def preprocess(*options):
    command = shlex.split(os.environ.get("CC", "cc")) + ["-E", *options, str(HEADER)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def own_lines(text):
    """Returns the lines that come from the header and its .def files."""
    keep, kept = False, []
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            keep = pathlib.Path(marker[1]).parent.resolve() == HEADER.parent
        elif keep:
            kept.append(line)
    return "\n".join(kept)


def constants():
    """Returns the macros of the header whose names begin with BH_, with their texts."""
    found = {}
    for line in preprocess("-dM").splitlines():
        match = re.match(r"#define (BH_\w+) (.+)", line)
        if match and match[1] in HEADER.read_text(encoding="utf-8") and not match[2].startswith("__attribute__"):
            found[match[1]] = match[2]
    return found


class Parser:
    """Parses the subset of C in which the header is written: enumerations, structures and prototypes."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        self.at = 0
        self.enums = {}  # name -> [(member, value)]
        self.structs = {}  # name -> [(field, type)]
        self.functions = {}  # name -> (result, [arguments])
        self.values = {}  # member of an enumeration -> value

    def look(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted=None):
        token = self.look()
        if wanted and token != wanted:
            raise Unknown(f"{wanted!r} expected before {' '.join(self.tokens[self.at : self.at + 8])!r}")
        self.at += 1
        return token

    def number(self, ends):
        """Takes a constant expression up to one of the tokens in `ends`, which is not taken. Returns its value."""
        words = []
        while self.look() not in ends:
            words.append(self.take())
        words = [str(self.values.get(word, word)) for word in words]
        return int(eval(" ".join(re.sub(r"[uUlL]+$", "", word) for word in words), {"__builtins__": {}}))

    def enum_body(self, name):
        members, value = [], 0
        self.take("{")
        while self.look() != "}":
            member = self.take()
            if self.look() == "=":
                self.take()
                value = self.number((",", "}"))
            members.append((member, value))
            self.values[member] = value
            value += 1
            if self.look() == ",":
                self.take()
        self.take("}")
        self.enums[name or ""] = self.enums.get(name or "", []) + members

    def base_type(self):
        while self.look() == "const":
            self.take()
        word = self.take()
        if word == "enum":
            return self.take() and "c_int"
        if word == "struct":
            word = self.take()
        elif word == "unsigned" and self.look() in ("int", "char"):
            raise Unknown("a type of two words")
        elif word in SCALARS:
            return SCALARS[word]
        return "c_int" if word in self.enums else word

    def pointers(self, kind):
        while self.look() == "*":
            self.take()
            while self.look() == "const":
                self.take()
            if kind == "c_char":
                kind = "c_char_p"
            elif kind == "None" or kind not in self.structs and not kind.startswith(("c_", "POINTER")):
                kind = "c_void_p"
            else:
                kind = f"POINTER({kind})"
        return kind

    def arguments(self):
        kinds = []
        self.take("(")
        while self.look() != ")":
            kind, _ = self.declarator(self.base_type())
            if kind != "None":
                kinds.append(kind)
            if self.look() == ",":
                self.take()
        self.take(")")
        return kinds

    def declarator(self, base):
        """Takes a declarator. Returns its type and its name, which may be empty."""
        kind = self.pointers(base)
        if self.look() == "(":  # a pointer to a function
            self.take("(")
            self.take("*")
            name = self.take()
            self.take(")")
            return f"CFUNCTYPE({', '.join([kind, *self.arguments()])})", name
        name = self.take() if re.match(r"\w", self.look()) else ""
        sizes = []
        while self.look() == "[":
            self.take()
            sizes.append(self.number(("]",)))
            self.take("]")
        for size in reversed(sizes):
            kind = f"{kind} * {size}"
        return kind, name

    def struct_body(self, name):
        fields = []
        self.take("{")
        while self.look() != "}":
            base = self.base_type()
            while True:
                kind, field = self.declarator(base)
                fields.append((field, kind))
                if self.look() != ",":
                    break
                self.take()
            self.take(";")
        self.take("}")
        self.structs[name] = fields

    def prototype(self):
        kind = self.pointers(self.base_type())
        name = self.take()
        self.functions[name] = (kind, self.arguments())

    def attribute(self):
        depth = 0
        self.take()
        while True:
            depth += {"(": 1, ")": -1}.get(self.take(), 0)
            if not depth:
                return

    def parse(self):
        while self.look():
            typedef = self.look() == "typedef" and self.take()
            if self.look() == "__attribute__":
                self.attribute()
                self.prototype()
            elif self.look() in ("enum", "struct") and "{" in (self.look(1), self.look(2)):
                word = self.take()
                name = self.take() if self.look() != "{" else None
                if word == "enum":
                    self.enum_body(name)
                else:
                    self.struct_body(name)
                if typedef:
                    self.take(name)
            elif typedef and self.look() == "struct":  # an opaque handle
                self.at += 3
            else:
                raise Unknown(f"what is this: {' '.join(self.tokens[self.at : self.at + 8])!r}")
            self.take(";")
        return self


def generate():
    parsed = Parser(own_lines(preprocess())).parse()
    macros = {}
    for name, text in sorted(constants().items()):
        words = [str(parsed.values.get(word, word)) for word in TOKEN.findall(text)]
        words = [str(macros.get(word, word)) for word in words]
        try:
            macros[name] = int(eval(" ".join(re.sub(r"[uUlL]+$", "", word) for word in words), {"__builtins__": {}}))
        except (NameError, SyntaxError):
            continue
    out = [
        '"""The C interface of libbhemu, from include/bhemu.h. Made by python/prototypes.py: do not edit."""',
        "",
        "from ctypes import *  # noqa: F403",
        "from enum import IntEnum",
        "",
    ]
    out += [f"{name} = {value}" for name, value in macros.items()]
    for name, members in parsed.enums.items():
        if not name:
            out += ["", *(f"{member} = {value}" for member, value in members)]
            continue
        out += ["", "", f"class {name}(IntEnum):", *(f"    {member} = {value}" for member, value in members)]
    for name, fields in parsed.structs.items():
        out += ["", "", f"class {name}(Structure):", "    _fields_ = ["]
        out += [*(f'        ("{field}", {kind}),' for field, kind in fields), "    ]"]
    out += ["", "", "# name: (result, arguments)", "FUNCTIONS = {"]
    for name, (result, arguments) in parsed.functions.items():
        out += [f'    "{name}": ({result}, [{", ".join(arguments)}]),']
    return "\n".join([*out, "}", ""])


def compare_layout():
    """Compiles a file with an assertion for each structure and member. Exits if one fails."""
    names = {}
    exec(OUTPUT.read_text(encoding="utf-8"), names)
    lines = [f'#include "{HEADER}"']
    for name, kind in names.items():
        if not isinstance(kind, type) or not issubclass(kind, ctypes.Structure) or not name.startswith("bh_"):
            continue
        lines.append(f'_Static_assert(sizeof(struct {name}) == {ctypes.sizeof(kind)}, "{name}");')
        for field, _ in kind._fields_:
            offset = getattr(kind, field).offset
            lines.append(f'_Static_assert(offsetof(struct {name}, {field}) == {offset}, "{name}.{field}");')
    command = shlex.split(os.environ.get("CC", "cc")) + ["-std=c17", "-fsyntax-only", "-x", "c", "-"]
    if subprocess.run(command, input="\n".join(lines) + "\n", text=True, check=False).returncode:
        sys.exit("ctypes lays the structures out in another way than the compiler")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--check", action="store_true", help="compare, write nothing")
    check = options.parse_args().check
    text = generate()
    if not check:
        OUTPUT.write_text(text, encoding="utf-8")
    elif OUTPUT.read_text(encoding="utf-8") != text:
        sys.exit(f"{OUTPUT.name} is not what {HEADER.name} says: run python/prototypes.py")
    else:
        compare_layout()


if __name__ == "__main__":
    main()
