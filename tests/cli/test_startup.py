"""The script while it is starting: Ctrl-C among the imports."""

import signal
import subprocess
import sys

import pytest

# Sends itself the signal when the first import of a module begins, then runs the script.
INTERRUPTED_IN = """
import builtins, os, signal, sys
kept = builtins.__import__
def interrupt(name, *rest, **named):
    if name == {module!r}:
        builtins.__import__ = kept
        os.kill(os.getpid(), signal.SIGINT)
    return kept(name, *rest, **named)
builtins.__import__ = interrupt
from texsamp_script import main
sys.argv = ["texsamp", "info"]
main()
"""


def run_program(text):
    return subprocess.run([sys.executable, "-c", text], capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize("module", ["numpy", "av", "typer"])
def test_interrupt_among_the_imports_is_quiet(module):
    run = run_program(INTERRUPTED_IN.format(module=module))
    assert (run.returncode, run.stdout, run.stderr) == (130, b"", b"")


def test_interrupts_the_shell_ignores_stay_ignored():
    program = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n" + INTERRUPTED_IN.format(module="av")
    run = run_program(program)
    assert run.returncode == 0, run.stderr
    assert run.stdout


def test_ctrl_c_works_as_ever_after_the_imports():
    program = "import signal, texsamp.cli.main as m\nm.main = lambda: print(signal.getsignal(signal.SIGINT).__name__)\n"
    program += "from texsamp_script import main\nmain()"
    run = run_program(program)
    assert run.stdout.decode().strip() == signal.default_int_handler.__name__
