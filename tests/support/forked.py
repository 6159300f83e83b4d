"""The `texsamp` command of many runs: a process that has imported it forks for each of them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path

LIMIT_S = 120
MOST_B = 1 << 17
"""Of a request: its arguments and the environment."""


class Server:
    """A process with the command's modules; a run is a fork of it with pipes, folder and environment of its own."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(LIMIT_S)
        command = [sys.executable, __file__, str(theirs.fileno())]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
        theirs.close()

    def run(self, arguments: list[str], cwd: Path, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
        """Wait for a run: its status and what it wrote."""
        (their_in, stdin_pipe), (stdout_pipe, their_out), (stderr_pipe, their_err) = (os.pipe() for _ in range(3))
        request = json.dumps([arguments, str(cwd.resolve()), dict(os.environ)]).encode()
        socket.send_fds(self._socket, [request], theirs := [their_in, their_out, their_err])
        for number in theirs:
            os.close(number)
        with ThreadPoolExecutor(3) as pool:
            pool.submit(_write, stdin_pipe, stdin)
            written = [pool.submit(_read, pipe) for pipe in (stdout_pipe, stderr_pipe)]
            try:
                status = int(self._socket.recv(16))
            except BaseException:
                self._process.kill()
                server.cache_clear()
                raise
        return subprocess.CompletedProcess(arguments, status, *(each.result() for each in written))


def _write(pipe: int, data: bytes) -> None:
    with suppress(BrokenPipeError), open(pipe, "wb") as stream:
        stream.write(data)


def _read(pipe: int) -> bytes:
    with open(pipe, "rb") as stream:
        return stream.read()


@cache
def server() -> Server:
    """The one of this process."""
    return Server()


def serve(connection: socket.socket) -> None:
    """Fork for each request, and say with which status the fork ended."""
    import texsamp.cli.main  # noqa: F401 - all commands, imported once

    from texsamp_script import main

    while True:
        request, streams, _, _ = socket.recv_fds(connection, MOST_B, 3)
        if not request:
            return
        child = os.fork()
        if child == 0:
            connection.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            arguments, folder, environment = json.loads(request)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            sys.argv = ["texsamp", *arguments]
            main()
            return
        for stream in streams:
            os.close(stream)
        connection.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
