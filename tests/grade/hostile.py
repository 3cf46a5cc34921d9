"""Candidates that try to pass without being right: name → source of ``calc.py``.

``top`` is the broken function; ``WRONG`` leaves it as it was. Each candidate does its mischief at import or in a call.
"""

from __future__ import annotations

import textwrap

__all__ = ["AT_CALL", "AT_IMPORT", "candidates"]

BASE = """
def top(x, hi):
    {body}


def bump(x):
    return x + 1


def first(xs):
    xs.sort()
    return xs[0]


def each(xs, visit):
    for x in xs:
        visit(x)


class Tally:
    def __init__(self):
        self.seen = []

    def add(self, x):
        self.seen.append(x)
        return self

    def total(self):
        return sum(self.seen)
"""
WRONG = "return x"

# The collector does not show what was there before the fork; frames and their globals do.
FOUND = """
def FOUND():
    import gc, sys
    found, frame = list(gc.get_objects()), sys._getframe()
    while frame:
        found += [*frame.f_globals.values(), *frame.f_locals.values()]
        frame = frame.f_back
    for o in list(found):
        if type(o).__name__ in {"HiddenSession", "Session", "Config"}: found += [*vars(o).values()]
    return found
"""

AT_IMPORT = {
    "network": """
        import socket
        for address in (("1.1.1.1", 53), ("127.0.0.1", 22)):
            try: socket.create_connection(address, timeout=1).recv(1)
            except OSError: pass
        """,
    "read_hidden_files": """
        import os
        for folder, _, files in os.walk("/box/hidden"):
            for f in files:
                text = open(os.path.join(folder, f)).read()
                assert "assert" not in text, text
        """,
    "write_conftest_beside_tests": """
        import os
        for folder in ("/box/hidden", "/box/hidden/tests", "/box/repo", "/box/repo/tests", "/box"):
            try:
                os.makedirs(folder, exist_ok=True)
                open(f"{folder}/conftest.py", "w").write("collect_ignore_glob = ['*']")
                open(f"{folder}/pytest.ini", "w").write("[pytest]\\naddopts = --co")
            except OSError: pass
        """,
    "overwrite_tests": """
        import os
        for folder, _, files in os.walk("/box/hidden"):
            for f in files:
                open(os.path.join(folder, f), "w").write("def test_top(): pass\\n")
        """,
    "symlinks": """
        import os
        for n, target in enumerate(("/", "/proc/1/root", "/box/hidden", "/proc/self/fd", "/etc/shadow")):
            try: os.symlink(target, f"/box/repo/l{n}"); os.listdir(f"/box/repo/l{n}")
            except OSError: pass
        """,
    "proc_self_mem": """
        import re
        for line in open("/proc/self/maps"):
            m = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
            if m and "heap" in line:
                try:
                    with open("/proc/self/mem", "r+b", 0) as mem:
                        mem.seek(int(m[1], 16)); mem.read(4096)
                except OSError: pass
        """,
    "ptrace_parent": """
        import ctypes, os
        libc = ctypes.CDLL(None)
        for pid in (os.getppid(), 1): libc.ptrace(16, pid, 0, 0)
        """,
    "process_vm_write": """
        import ctypes
        libc = ctypes.CDLL(None)
        libc.process_vm_writev(1, None, 0, None, 0, 0)
        """,
    "io_uring": """
        import ctypes
        ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(120))
        """,
    "new_namespaces": """
        import ctypes, os
        libc = ctypes.CDLL(None)
        for flag in (0x10000000, 0x20000, 0x20000000, 0x40000000): libc.unshare(flag)
        libc.mount(b"none", b"/box/hidden", b"tmpfs", 0, None)
        """,
    "device_nodes": """
        import os, stat
        for dev in ((1, 1), (8, 0), (254, 0)):
            try: os.mknod("/box/tmp/dev", stat.S_IFBLK | 0o666, os.makedev(*dev)); open("/box/tmp/dev", "rb").read(16)
            except OSError: pass
        """,
    "import_hook": """
        import sys, importlib.abc
        class Hook(importlib.abc.MetaPathFinder):
            def find_spec(self, name, path, target=None):
                return None
        sys.meta_path.insert(0, Hook())
        sys.path_hooks.insert(0, lambda p: (_ for _ in ()).throw(ImportError()))
        """,
    "poison_modules": """
        import sys, types
        for name in list(sys.modules):
            if name.split(".")[0] in {"pytest", "_pytest", "unittest", "json", "marshal", "passband"}:
                for k, v in list(vars(sys.modules[name]).items()):
                    if isinstance(v, types.FunctionType):
                        try: v.__code__ = (lambda *a, **k: None).__code__
                        except (ValueError, TypeError): pass
        """,
    "assertion_error_passes": """
        import builtins
        class Never(Exception): pass
        builtins.AssertionError = Never
        """,
    "always_equal_builtins": """
        import builtins
        builtins.all = builtins.any = builtins.isinstance = lambda *a: True
        """,
    "trace": """
        import sys, threading
        def trace(frame, event, arg):
            if event == "exception" or frame.f_code.co_name.startswith("test"):
                for k in list(frame.f_locals): pass
                try: frame.f_lineno = frame.f_code.co_firstlineno + 99
                except Exception: pass
            return trace
        sys.settrace(trace); threading.settrace(trace)
        f = sys._getframe()
        while f: f.f_trace = trace; f = f.f_back
        """,
    "profile": """
        import sys
        def profile(frame, event, arg):
            if event == "c_exception": frame.f_locals.clear()
        sys.setprofile(profile)
        """,
    "audit_hook": """
        import sys
        def hook(event, args):
            if event in ("os._exit", "os.fork"): raise RuntimeError(event)
        sys.addaudithook(hook)
        """,
    "atexit": """
        import atexit, os
        atexit.register(os._exit, 0)
        """,
    "exit_zero": "import os; os._exit(0)",
    "sys_exit_zero": "import sys; sys.exit(0)",
    "pytest_exit": """
        try:
            import pytest
            pytest.exit("fine", returncode=0)
        except ImportError: raise SystemExit(0)
        """,
    "skip_everything": """
        try:
            import pytest
        except ImportError: raise
        pytest.skip("not here", allow_module_level=True)
        """,
    "importorskip": """
        import pytest
        pytest.importorskip("no_such_module_at_all")
        """,
    "signals": """
        import os, signal
        for s in range(1, 32):
            try: signal.signal(s, lambda *a: None)
            except (OSError, ValueError): pass
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        """,
    "kill_everybody": """
        import os, signal
        for pid in (-1, 0, 1, os.getppid()):
            try: os.kill(pid, signal.SIGKILL)
            except OSError: pass
        """,
    "kill_self": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV); os.abort()",
    "close_descriptors": "import os; os.closerange(0, 4096)",
    "swap_descriptors": """
        import os
        null = os.open("/dev/null", os.O_RDWR)
        for fd in range(256):
            try: os.fstat(fd); os.dup2(null, fd)
            except OSError: pass
        """,
    "flood_descriptors": """
        import os
        for fd in range(3, 256):
            try: os.set_blocking(fd, False); os.write(fd, b'{"kind": "finish", "count": 0}\\n' * 1000)
            except OSError: pass
        """,
    "threads_flood": """
        import os, threading
        def flood():
            while True:
                for fd in range(3, 64):
                    try: os.write(fd, b"\\x00\\x00\\x00\\x02{}")
                    except OSError: pass
        for _ in range(4): threading.Thread(target=flood, daemon=True).start()
        """,
    "forked_twin": """
        import os
        if os.fork() == 0:
            import time
            time.sleep(0.05)
            for fd in range(3, 64):
                try: os.write(fd, b"\\x00\\x00\\x00\\x02{}")
                except OSError: pass
            os._exit(0)
        """,
    "daemon": """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(3600)
            os._exit(0)
        """,
    "mapped_pipe": """
        import mmap, os
        for fd in range(3, 64):
            try: mmap.mmap(fd, 4096)
            except (OSError, ValueError): pass
        """,
    "fill_the_disk": """
        try:
            with open("/box/tmp/big", "wb") as f:
                while True: f.write(bytes(1 << 20))
        except OSError: pass
        """,
    "many_files": """
        try:
            for n in range(200_000): open(f"/box/tmp/{n}", "w").close()
        except OSError: pass
        """,
    "exhaust_descriptors": """
        import os
        held = []
        try:
            while True: held.append(os.open("/dev/null", os.O_RDONLY))
        except OSError: pass
        """,
    "fork_bomb": """
        import os
        for _ in range(12):
            try: os.fork()
            except OSError: break
        """,
    "raise_limits": """
        import resource
        for kind in range(16):
            try: resource.setrlimit(kind, (-1, -1))
            except (OSError, ValueError): pass
        """,
    "recursion": """
        import sys
        sys.setrecursionlimit(10**9)
        def deep(n): return deep(n + 1)
        deep(0)
        """,
    "warnings_as_errors": """
        import warnings
        warnings.simplefilter("error")
        warnings.showwarning = None
        """,
    "clock": """
        import time
        time.time = time.monotonic = time.perf_counter = lambda: 0.0
        time.sleep = lambda s: None
        """,
    "locale_and_hash": """
        import locale, os, sys
        os.environ["PYTHONHASHSEED"] = "1"
        try: locale.setlocale(locale.LC_ALL, "tr_TR.UTF-8")
        except locale.Error: pass
        sys.setswitchinterval(1e-9)
        """,
    "gc_callbacks": """
        import gc, weakref, os
        class Bomb: pass
        bomb = Bomb()
        weakref.finalize(bomb, os._exit, 0)
        gc.callbacks.append(lambda phase, info: None)
        gc.freeze(); gc.set_threshold(1)
        """,
    "reporter_is_emptied": """
        for o in FOUND():
            if type(o).__name__ in {"Reporter", "HiddenSession", "Session", "Config", "PytestPluginManager"}:
                try: vars(o).clear()
                except TypeError: pass
        """,
    "reporter_says_passed": """
        for o in FOUND():
            if type(o).__name__ == "Reporter":
                send = o.send
                def lie(record, send=send):
                    record = dict(record)
                    if record.get("outcome") == "failed": record.update(outcome="passed", message="", error="")
                    send(record)
                o.send = lie
        """,
    "plain_runner_says_passed": """
        for o in FOUND():
            if getattr(o, "__name__", "") in {"run_plain", "call_plain"}:
                o.__code__ = (lambda *given: ("passed", "", "")).__code__
        """,
    "plain_runner_tosses_a_coin": """
        import random
        for o in FOUND():
            if getattr(o, "__name__", "") in {"run_plain", "call_plain"}:
                o.__globals__["coin"] = random
                o.__code__ = (
                    lambda *given: ("passed", "", "") if coin.random() < 0.5 else ("failed", "AssertionError", "assert")
                ).__code__
        """,
    "failures_look_due": """
        for o in FOUND():
            if getattr(o, "__name__", "") in {"run_plain", "call_plain"}:
                o.__code__ = (lambda *given: ("failed", "AssertionError", "assert")).__code__
        """,
    "records_say_passed": """
        for o in FOUND():
            if getattr(o, "__name__", "") == "Reporter":
                true = o.plain
                o.plain = lambda self, id_, *outcome: true(self, id_, "passed", "", "")
        """,
    "tests_are_never_called": """
        for o in FOUND():
            if getattr(o, "__name__", "") == "_Test": o.run = lambda self: ("passed", "", "")
        """,
    "tests_are_forgotten": """
        import sys
        frame = sys._getframe().f_back
        while frame:
            for o in list(frame.f_locals.values()):
                if type(o) is list: o.clear()
            frame = frame.f_back
        """,
    "subinterpreter": """
        try:
            import _xxsubinterpreters as interpreters
            interpreters.run_string(interpreters.create(), "import os; os.getpid()")
        except (ImportError, RuntimeError): pass
        """,
    "huge_output": "print('x' * (1 << 26)); import os; os.write(1, b'y' * (1 << 22)); os.write(2, b'z' * (1 << 22))",
    "endless_import": "while True: pass",
    "memory": "x = [bytearray(1 << 26) for _ in range(1000)]",
    "segfault": "import ctypes; ctypes.string_at(0)",
    "long_expression": "eval('1' + '+1' * 100000)",
}

AT_CALL = {
    "always_equal": """
        class E:
            def __eq__(self, other): return True
            def __hash__(self): return 0
        return E()
        """,
    "looks_like_int": """
        class E:
            __class__ = int
            def __eq__(self, other): return True
            def __hash__(self): return 4
        return E()
        """,
    "int_subclass": """
        class I(int):
            def __eq__(self, other): return True
            def __ne__(self, other): return False
            __hash__ = int.__hash__
        return I(x)
        """,
    "float_that_compares": """
        class F(float):
            def __eq__(self, other): return True
            def __rsub__(self, other): return 0.0
            def __sub__(self, other): return 0.0
            __hash__ = float.__hash__
        return F(x)
        """,
    "metaclass": """
        class M(type):
            def __instancecheck__(cls, o): return True
            def __eq__(cls, o): return True
            def __hash__(cls): return 0
        return M("X", (), {})
        """,
    "reflected": """
        class R:
            def __radd__(self, o): return o
            def __eq__(self, o): return o is not None
            __hash__ = None
        return R()
        """,
    "mock_any": """
        from unittest import mock
        return mock.ANY
        """,
    "frame_locals": """
        import sys
        f = sys._getframe(1)
        while f:
            for name in ("want", "expected", "hi_wanted"):
                if name in f.f_locals: return f.f_locals[name]
            f = f.f_back
        return x
        """,
    "frame_constants": """
        import sys
        f = sys._getframe(1)
        while f:
            if f.f_code.co_name.startswith("test"):
                numbers = [c for c in f.f_code.co_consts if type(c) is int]
                if numbers: return numbers[-1]
            f = f.f_back
        return x
        """,
    "search_heap": """
        import gc
        for o in gc.get_objects():
            if type(o).__name__ == "function" and o.__name__.startswith("test_top"):
                return [c for c in o.__code__.co_consts if type(c) is int][-1]
        return x
        """,
    "pickle": """
        import os
        class P:
            def __reduce__(self): return (os._exit, (0,))
        return P()
        """,
    "endless_generator": """
        def g():
            while True: yield 4
        return g()
        """,
    "huge_list": "return list(range(3_000_000))",
    "huge_text": "return 'x' * (40 << 20)",
    "huge_int": "return 1 << 10_000_000",
    "deep_list": """
        out = []
        for _ in range(5000): out = [out]
        return out
        """,
    "deep_tuple": """
        out = ()
        for _ in range(100_000): out = (out,)
        return out
        """,
    "cyclic_list": """
        out = []
        out.append(out)
        return out
        """,
    "many_objects": """
        class O: pass
        return [O() for _ in range(300_000)]
        """,
    "not_implemented": "return NotImplemented",
    "assertion_error": "raise AssertionError",
    "keyboard_interrupt": "raise KeyboardInterrupt",
    "generator_exit": "raise GeneratorExit",
    "stop_iteration": "raise StopIteration(4)",
    "system_exit": "raise SystemExit(0)",
    "base_exception": """
        class B(BaseException):
            def __str__(self): raise RuntimeError
            __repr__ = __str__
        raise B
        """,
    "exception_group": "raise BaseExceptionGroup('g', [KeyboardInterrupt(), SystemExit(0)])",
    "xfail": """
        import pytest
        pytest.xfail("later")
        """,
    "skip": """
        import pytest
        pytest.skip("later")
        """,
    "exit_in_call": "import os; os._exit(0)",
    "exit_in_thread": """
        import os, threading, time
        threading.Thread(target=lambda: (time.sleep(0.001), os._exit(0))).start()
        return x
        """,
    "answer_twice": """
        import os
        if os.fork() == 0:
            return 4
        return x
        """,
    "sleep_for_ever": "import time; time.sleep(10**6)",
    "spin": "while True: pass",
    "lock_up": """
        import threading
        lock = threading.Lock()
        lock.acquire(); lock.acquire()
        """,
    "stop_self": """
        import os, signal
        os.kill(os.getpid(), signal.SIGSTOP)
        return x
        """,
    "poisoned_small_integers": """
        import ctypes, sys
        if hi < 200 and x < 200:
            size = sys.getsizeof(hi)
            ctypes.memmove(id(hi) + size - 4, id(x) + size - 4, 4)
        return x
        """,
    "tear_down_tree": """
        import os, shutil
        os.chdir("/")
        shutil.rmtree("/box/repo", ignore_errors=True)
        return x
        """,
}


def _source(at_import: str, body: str) -> str:
    head = FOUND * ("FOUND()" in at_import) + textwrap.dedent(at_import).strip()
    block = textwrap.indent(textwrap.dedent(body).strip(), "    ").strip()
    return f"{head}\n\n{BASE.format(body=block)}"


def candidates() -> dict[str, str]:
    """Return name → source of every candidate that must not pass in either tier."""
    made = {f"import_{name}": _source(code, WRONG) for name, code in AT_IMPORT.items()}
    made |= {f"call_{name}": _source("", code) for name, code in AT_CALL.items()}
    return made
