"""How tests let a call on files fail: tests/fault/failio.c, which is loaded before all else."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REASONS = {'EIO': 'Input/output error', 'ENOSPC': 'No space left on device',
           'EACCES': 'ermission denied', 'EINTR': 'Interrupted system call'}


def build(binary, folder):
    """What is to be loaded, made in a folder. The program cannot be one with a sanitizer."""
    with open(binary, 'rb') as f:
        if b'__asan_init' in f.read():
            sys.exit('not with a sanitizer, which must be loaded first')
    shim = os.path.join(folder, 'failio.so')
    subprocess.run([os.environ.get('CC', 'cc').split()[-1], '-O1', '-shared', '-fPIC', '-o',
                    shim, os.path.join(HERE, 'fault', 'failio.c'), '-ldl'], check=True)
    return shim


def environment(shim, folder, at, how, out):
    """The n-th call on files of this folder fails; what became of it goes to `out`."""
    return {'LD_PRELOAD': shim, 'FAILIO_FOLDER': os.path.join(folder, ''), 'FAILIO_AT': str(at),
            'FAILIO_HOW': how, 'FAILIO_OUT': out, 'LC_ALL': 'C.UTF-8'}


def outcome(out):
    """(how many calls there were, the name of the one that failed or "-")."""
    with open(out, encoding='ascii') as f:
        count, failed = f.read().split()
    return int(count), failed
