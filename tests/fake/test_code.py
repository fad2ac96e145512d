#!/usr/bin/env python3
"""What `:code` shows of a kernel of the CUDA target: its texts, and machine code by a program of
the toolkit, of which there is one or another, or none."""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
check = score.check
home = tempfile.TemporaryDirectory(prefix='fusible-code-')
KERNEL = 'x = f32(mod(1:300, 7)); y = 2*x + 1; y\n'


def put_program(path, text='exit 0'):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(f'#!/bin/sh\n{text}\n')
    os.chmod(path, 0o700)


def code(folder, form, **more):
    env = fakegpu.environment(folder, **more)
    return fakegpu.run(['--no-rc', '--target', 'cuda', '-e', f'{KERNEL}:code {form}'], env)


def test_code():
    with tempfile.TemporaryDirectory(dir=home.name) as folder:
        tools = os.path.join(folder, 'tools')
        path = {'PATH': f'{tools}:{os.environ["PATH"]}'}  # the fake compiler is one of them
        for form, words in (('cuda', '__global__'), ('lines', '#line'), ('ptx', '// PTX of')):
            done = code(folder, form)
            check(done.returncode == 0 and words in done.stdout, f'{form}: {done}')
        done = code(folder, 'sass', PATH=tools)
        check('nvdisasm nor cuobjdump' in done.stderr + done.stdout, f'no program: {done}')
        put_program(os.path.join(tools, 'cuobjdump'), 'test "$1" = -sass && echo other of $2')
        check('other of' in code(folder, 'sass', **path).stdout, 'by cuobjdump')
        put_program(os.path.join(tools, 'nvdisasm'), 'echo first of $1')
        check('first of' in code(folder, 'sass', **path).stdout, 'by nvdisasm')
        put_program(os.path.join(tools, 'nvdisasm'), 'exit 1')
        check('other of' in code(folder, 'sass', **path).stdout, 'where nvdisasm fails')


def main():
    for name, test in list(globals().items()):
        if name.startswith('test_'):
            test()
    home.cleanup()
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
