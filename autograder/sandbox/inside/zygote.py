"""Forks guests: has imported NumPy, and never runs a line of a student's code itself.

Executed by its path with `-s -S -B`, as guest.py is. Each guest closes the locks after the fork and
before any student code, so it has what a freshly executed one has: nothing of another submission.
"""

import os
import runpy
import signal
import sys
import time

HERE = os.path.dirname(__file__)


def main():
    guest = runpy.run_path(os.path.join(HERE, "guest.py"))
    guest["leave_out_own_folder"]()
    requests, replies = guest["private_pipes"]()
    configuration, _ = guest["receive"](requests)
    sys.path.append(configuration["libraries"])
    import numpy.ma

    loaded = guest["make_ready"](numpy)
    lock = guest["load_lock"]()
    guest["send"](replies, {"ready": True})
    while True:
        frame = guest["receive"](requests)
        if frame is None:
            # The guests that are left end with this process.
            return
        order, _ = frame
        if order["order"] == "fork":
            pid = os.getpid()
            pipes = [
                os.fdopen(os.open(order["requests"], os.O_RDONLY), "rb"),
                os.fdopen(os.open(order["replies"], os.O_WRONLY), "wb"),
            ]
            child = os.fork()
            if child == 0:
                requests.close()
                replies.close()
                order["configuration"]["locks"]["parent"] = pid
                be_guest(guest, order["configuration"], pipes, numpy, lock, loaded)
            for pipe in pipes:
                pipe.close()
            guest["send"](replies, {"pid": child})
        elif order["order"] == "clear":
            clear(order["uid"])
            guest["send"](replies, {"cleared": order["uid"]})
        else:
            status = ended(order["pid"], order["seconds"], order["order"] == "kill")
            guest["send"](replies, {"status": status})


def be_guest(guest, configuration, pipes, numpy, lock, loaded):
    """The forked process: a session of its own, and no way back into the loop above."""
    try:
        os.setsid()
        guest["live"](configuration, *pipes, numpy, lock, loaded)
    except SystemExit as end:
        os.write(2, f"{end}\n".encode("utf-8", "replace"))
    finally:
        os._exit(0)


def clear(uid):
    """Kills every process of a user: a process of theirs may, and reaches all of them at once."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
            os.kill(-1, signal.SIGKILL)
        finally:
            # Also where there is none to kill.
            os._exit(0)
    os.waitpid(child, 0)


def ended(pid, seconds, kill):
    """A guest's exit status as subprocess gives it; None while it still runs after so long."""
    if kill:
        # While it has not been waited for, its number is nobody else's.
        for end in (os.killpg, os.kill):
            try:
                end(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
    until = time.monotonic() + seconds
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= until:
            return None
        time.sleep(0.0005)


if __name__ == "__main__":
    main()
