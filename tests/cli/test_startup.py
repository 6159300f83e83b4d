"""The script while it is starting: Ctrl-C among the imports."""

import signal
import subprocess
import sys

import pytest
from support.shell import COMMAND
from texsamp.cli.commands import COMMANDS, LazyCommands

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


def test_what_is_imported_is_no_garbage_and_what_follows_may_be():
    program = "import gc, sys, texsamp.cli.main as m\n"
    program += "m.main = lambda: print(gc.isenabled(), gc.get_freeze_count() > 1000)\n"
    program += "during = lambda: print(gc.isenabled())\nfrom texsamp_script import main, quiet_interrupts\nmain()\n"
    program += "with quiet_interrupts(): during()"
    assert run_program(program).stdout.split() == [b"True", b"True", b"False"]


HEAVY = ("numpy", "av", "texsamp.io", "texsamp.emulator", "texsamp.device")


def modules_after(*arguments: str) -> set[str]:
    """What a command has imported when it ends."""
    program = "import atexit, sys\nfrom texsamp_script import main\n"
    program += "atexit.register(lambda: print('\\n#', *sys.modules))\n"
    program += f"sys.argv = ['texsamp', *{arguments!r}]\nmain()"
    run = run_program(program)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.decode().rpartition("#")[2].split())


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_what_only_prints_imports_nothing_heavy(option):
    assert not modules_after(option) & {*HEAVY, *(f"texsamp.cli.{place.module}" for place in COMMANDS.values())}


@pytest.mark.parametrize("arguments", [("info",), ("process", "--help"), ("decode", "--help"), ("formats",)])
def test_commands_import_themselves_and_no_emulator(arguments):
    loaded = modules_after(*arguments)
    assert {name for name in loaded if name.startswith("texsamp.cli.")} >= {f"texsamp.cli.{arguments[0]}"}
    assert "texsamp.emulator" not in loaded
    others = {f"texsamp.cli.{place.module}" for name, place in COMMANDS.items() if name != arguments[0]}
    assert not loaded & others


def test_the_list_of_commands_has_the_first_lines_of_their_help():
    for name, command in LazyCommands().items():
        assert command.help.splitlines()[0] == COMMANDS[name].line
        assert command.name == name


def test_commands_that_are_no_command_are_refused_with_the_nearest():
    run = subprocess.run([*COMMAND, "proces"], capture_output=True, timeout=60, check=False)
    assert run.returncode == 2
    assert b"Did you mean 'process'?" in run.stderr
