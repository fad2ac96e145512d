#!/usr/bin/env python3
"""Runs tests/lang/*.fs and compares what they print.

In a test file,

    x = 1 + 1        # expect: x = 2
    A*p              # error: shapes do not fit

`# expect: LINE` is one line of standard output, in order (trailing blanks do
not count; `# expect-re: REGEX` must match the whole line). `# error: TEXT`
must be part of the diagnostics on standard error or output; after an error a
script ends, so it is the last statement of a file, or of a section: a line
`# ---` begins a new section, which is run by itself.
`# args: ...` adds arguments to the command line of the section.

    tests/run_lang.py [--bin build/fusible] [--jobs N] [FILE ...]
"""
import argparse
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Section:
    def __init__(self, first_line):
        self.first_line = first_line
        self.lines, self.expect, self.errors, self.args = [], [], [], []

    def add(self, line):
        self.lines.append(line)
        for kind, text in re.findall(
                r"#\s*(expect-re|expect|error|args):\s?(.*)", line):
            if kind == "expect":
                self.expect.append((False, text.rstrip()))
            elif kind == "expect-re":
                self.expect.append((True, text.strip()))
            elif kind == "error":
                self.errors.append(text.strip())
            else:
                self.args += shlex.split(text)


def sections(path):
    out = [Section(1)]
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.strip() == "# ---":
                out.append(Section(number + 1))
            else:
                out[-1].add(line)
    return [s for s in out if any(
        l.strip() and not l.strip().startswith("#") for l in s.lines)]


def matches(want, got):
    is_regex, text = want
    return re.fullmatch(text, got) if is_regex else text == got


def check(section, run):
    problems = []
    got = [l.rstrip() for l in run.stdout.splitlines()]
    if not section.errors:
        if run.returncode != 0:
            problems.append("exit code %d: %s" % (run.returncode,
                                                  run.stderr.strip()))
    elif run.returncode not in (1, 3):  # 3: the system said no
        problems.append("exit code %d, not 1 or 3" % run.returncode)
    said = run.stderr + run.stdout
    for text in section.errors:
        if text not in said:
            problems.append("no error with %r in: %s" % (text, said.strip()))
    if section.errors and len(got) > len(section.expect):
        got = got[:len(section.expect)]
    for k in range(max(len(got), len(section.expect))):
        have = got[k] if k < len(got) else None
        want = section.expect[k] if k < len(section.expect) else None
        if have is None or want is None or not matches(want, have):
            problems.append("line %d: expected %r, got %r" %
                            (k + 1, want and want[1], have))
            break
    return problems


def run_section(binary, path, section):
    """Runs the section from a file beside its test, so that imports work."""
    name = "%s:%d" % (os.path.relpath(path), section.first_line)
    folder = os.path.dirname(os.path.abspath(path))
    with tempfile.TemporaryDirectory() as scratch:
        script = os.path.join(scratch, os.path.basename(path))
        with open(script, "w", encoding="utf-8") as f:
            f.write("\n" * (section.first_line - 1) + "".join(section.lines))
        for helper in os.listdir(folder):
            if helper.endswith(".inc.fs"):
                with open(os.path.join(folder, helper), "rb") as src, open(
                        os.path.join(scratch, helper), "wb") as dst:
                    dst.write(src.read())
        env = dict(os.environ, XDG_CONFIG_HOME=scratch, XDG_CACHE_HOME=scratch,
                   NO_COLOR="1", LC_ALL="C.UTF-8")
        try:
            run = subprocess.run(
                [binary, "--no-rc", script] + section.args, cwd=scratch,
                env=env, capture_output=True, text=True, timeout=600,
                errors="replace", stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return name, ["took longer than 120 s"]
    return name, check(section, run)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=os.environ.get(
        "FUSIBLE", os.path.join(HERE, "..", "build", "fusible")))
    parser.add_argument("--jobs", type=int, default=1, help="sections side by side")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    binary = os.path.abspath(options.bin)
    files = options.files or sorted(
        os.path.join(HERE, "lang", f) for f in os.listdir(
            os.path.join(HERE, "lang"))
        if f.endswith(".fs") and not f.endswith(".inc.fs"))
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda job: run_section(binary, *job),
                           [(p, s) for p in files for s in sections(p)])
        for name, problems in results:
            if problems:
                failed += 1
                print("FAIL %s" % name)
                for p in problems:
                    print("  " + p)
            else:
                passed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
