/**
 * Python function that runs a file as `python3 file` does and returns its exit code. It gives `asyncio.run` an event loop that
 * really waits: the loop of Pyodide is made for browsers, and would return before the work is done.
 */
export const PYTHON_DRIVER: string = `
def __x_run(path):
    import asyncio, atexit, os, random, sys, time, traceback, types

    class Selector:
        def select(self, timeout):
            if timeout is None:
                raise RuntimeError('all tasks wait for ever')
            time.sleep(max(0, timeout))
            return []

        def close(self):
            pass

    class Loop(asyncio.BaseEventLoop):
        def __init__(self):
            super().__init__()
            self._selector = Selector()

        def _process_events(self, events):
            pass

        def _write_to_self(self):
            pass

    class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
        _loop_factory = Loop

    asyncio.events._set_running_loop(None)
    asyncio.events._set_event_loop_policy(Policy())
    asyncio.EventLoop = asyncio.SelectorEventLoop = Loop
    # All runs from one image would have the same random numbers.
    random.seed()
    for name in ('js', 'pyodide_js'):
        sys.modules.pop(name, None)
    sys.stdout.reconfigure(write_through=True)
    sys.stderr.reconfigure(write_through=True)
    os.chdir('/workspace')
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(path))
    main = types.ModuleType('__main__')
    main.__file__ = path
    main.__builtins__ = __builtins__
    sys.modules['__main__'] = main
    code = 0
    try:
        with open(path, 'rb') as file:
            source = file.read()
        exec(compile(source, path, 'exec', dont_inherit=True), main.__dict__)
    except SystemExit as error:
        code = error.code
        if code is None:
            code = 0
        elif not isinstance(code, int):
            print(code, file=sys.stderr)
            code = 1
    except BaseException as error:
        frames = error.__traceback__.tb_next
        traceback.print_exception(type(error), error, frames)
        code = 1
    # What the code wants to do at its end: print, or write a file.
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    return code & 255
__x_run
`
