"""What the clients run when their traffic with ipykernel is recorded, and what stands
for it when the same traffic is sent to fusible-kernel: (name, Python, Fusible).
Where the two are alike, both languages read the text."""

LOOP = 'for k = 1:100000000\n  b = k + 1;\nend'
PLAN = 'A = rand(32, 32); p = rand(32);\nq = A*p;'

CELLS = [
    ('value', '6*7', None),
    ('assign', 'a = 40;', None),
    ('use', 'a + 2', None),
    ('print', 'print("hello, world")', None),
    ('prints', 'print("one")\nprint("two")\n6*7', None),
    ('stderr', 'import sys\nprint("careful", file=sys.stderr)',
     ':time on\na = 40;'),
    ('quiet', 'pass', ':time off'),
    ('error', 'x = there_is_no_such_name', None),
    ('empty', '', None),
    ('page', '?print', None),
    ('display', 'from IPython.display import HTML, display\n'
     'h = display(HTML("<b>predicted</b>"), display_id=True)\n'
     'h.update(HTML("<b>measured</b>"))', PLAN),
    ('clear', 'print("gone")\nfrom IPython.display import clear_output\n'
     'clear_output()', 'print("gone")\n:clear'),
    ('ask', 'name = input("who? ")', 'name = ask("who? ");'),
    ('secret', 'import getpass\nword = getpass.getpass("word? ")',
     'word = ask("word? ", true);'),
    ('loop', 'while True: pass', LOOP),
    ('list', '[1, 2, 3]', None),
]
PYTHON = {name: python for name, python, _ in CELLS}
FUSIBLE = {python: fusible for _, python, fusible in CELLS if fusible}

# Code of other requests: (Python, Fusible), where the texts differ.
FUSIBLE.update({
    'for k in range(3):': 'for k = 1:3',
    'print(': 'rand(',
    'exit': ':quit',
})
