"""How tests start the program on the GPU that is not there (driver.c, nvrtc.c)."""
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get('BUILD', os.path.join(ROOT, 'build')))
PROGRAM = os.path.abspath(os.environ.get('FUSIBLE',
                                         os.path.join(BUILD, 'fusible')))
FAKE = os.path.join(BUILD, 'fake')


def environment(home, **more):
    """The environment for the fake GPU; `home` is a folder for every file that
    the program keeps. Names with the value None are left out."""
    env = {k: v for k, v in os.environ.items()
           if not k.startswith('FUSIBLE') and k != 'CUDA_VISIBLE_DEVICES'}
    cache, config = os.path.join(home, 'cache'), os.path.join(home, 'config')
    env.update(FUSIBLE_FAKE='1', LD_LIBRARY_PATH=FAKE, HOME=home,
               FUSIBLE_NVRTC=os.path.join(FAKE, 'libnvrtc.so.13'),
               FUSIBLE_CUBLAS='off', FUSIBLE_CUSOLVER='off', FUSIBLE_CUFFT='off',
               FUSIBLE_CUPTI='off',
               XDG_CACHE_HOME=cache, XDG_CONFIG_HOME=config,
               XDG_DATA_HOME=os.path.join(home, 'data'))
    os.makedirs(cache, mode=0o700, exist_ok=True)
    env.update(more)
    return {k: v for k, v in env.items() if v is not None}


def run(args, env, cwd=None, seconds=600):
    """The finished program; its status is None when the time was up."""
    try:
        return subprocess.run([PROGRAM] + list(args), env=env, cwd=cwd,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors='replace', timeout=seconds)
    except subprocess.TimeoutExpired as stopped:
        return subprocess.CompletedProcess(stopped.cmd, None, '',
                                           f'longer than {seconds} s')


def run_script(text, target, home):
    """The finished program of a script on "cpu", "cuda" or the "fake" GPU."""
    path = os.path.join(home, 'program.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    env = environment(home) if target == 'fake' else dict(os.environ)
    return run(['--no-rc', '--target', 'cpu' if target == 'cpu' else 'cuda', path], env)
