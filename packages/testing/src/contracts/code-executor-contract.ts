import type { CodeBlock, CodeExecutor, CodeResult, Isolation, XEvent } from '@x/interfaces'
import { isXError } from '@x/kernel'
import type { ContractRunner } from './contract-runner.ts'

/** Description of a code executor for `codeExecutorContract`. */
export interface CodeExecutorContract {
  /** Makes an executor with a timeout in seconds and a cap on its output in bytes. */
  create(options: { timeout: number; outputBytes: number }): CodeExecutor
  /** Language whose programs the suite runs. */
  readonly language: 'sh' | 'javascript' | 'python'
  /** Isolation that its results must report. */
  readonly isolation: Isolation
  /** Tells whether code blocks share files. */
  readonly files: boolean
  /** False for an executor that refuses blocking calls, such as one on a backend without `module`; default true. */
  readonly blocking?: boolean | undefined
}

/** Programs of the suite, by language. Those that hang take no polite request to end. */
const PROGRAMS = {
  sh: {
    print: (text: string) => `echo ${text}`,
    printError: (text: string) => `echo ${text} >&2`,
    fail: (code: number) => `exit ${code}`,
    hang: `trap '' TERM; echo before; sleep 1000`,
    // A process of number 1 in a container ignores its own signal.
    die: 'kill -9 $$; exit 137',
    takeASecond: 'echo before; sleep 1; echo after',
    // The two bytes of one character, one after the other.
    splitCharacter: String.raw`printf '\303'; sleep 0.1; printf '\251\n'`,
    comment: (text: string) => `# ${text}`,
    flood: 'while :; do echo 0123456789012345678901234567890123456789; done',
    fill: (lines: number) =>
      `echo first; i=0; while [ $i -lt ${lines} ]; do echo 0123456789; i=$((i+1)); done; echo last`,
  },
  python: {
    print: (text: string) => `print('${text}')`,
    printError: (text: string) => `import sys; print('${text}', file=sys.stderr)`,
    fail: (code: number) => `raise SystemExit(${code})`,
    hang: `try: import signal; signal.signal(15, signal.SIG_IGN)\nexcept Exception: pass\nprint('before', flush=True)\nwhile True: pass`,
    die: `import os\ntry: os.kill(os.getpid(), 9)\nexcept BaseException: pass\nraise SystemExit(137)`,
    takeASecond: `import time\nprint('before', flush=True)\ntime.sleep(1)\nprint('after')`,
    splitCharacter: String.raw`import sys, time
raw = getattr(sys.stdout, 'buffer', None)
if raw is None: print('\u00e9')
else:
  raw.write(b'\xc3'); raw.flush(); time.sleep(0.1); raw.write(b'\xa9\n'); raw.flush()`,
    comment: (text: string) => `# ${text}`,
    flood: `while True: print('0123456789012345678901234567890123456789')`,
    fill: (lines: number) => `print('first')\nfor i in range(${lines}): print('0123456789')\nprint('last')`,
  },
  javascript: {
    print: (text: string) => `console.log('${text}')`,
    printError: (text: string) => `console.error('${text}')`,
    fail: (code: number) => `process.exit(${code})`,
    hang: `try { process.on('SIGTERM', () => {}) } catch {}; console.log('before'); for (;;);`,
    die: `try { process.kill(process.pid, 'SIGKILL') } catch {}; process.exit(137)`,
    takeASecond: `console.log('before'); for (const end = Date.now() + 1000; Date.now() < end; ); console.log('after')`,
    splitCharacter: String.raw`if (typeof Buffer === 'undefined') console.log('\u00e9')
else { process.stdout.write(Buffer.from([0xc3])); setTimeout(() => process.stdout.write(Buffer.from([0xa9, 10])), 100) }`,
    comment: (text: string) => `// ${text}`,
    // A process of Node writes to a pipe between its tasks.
    flood: `const flood = () => { for (let i = 0; i < 500; i++) console.log('0123456789012345678901234567890123456789'); setTimeout(flood) }; flood()`,
    fill: (lines: number) =>
      `console.log('first'); for (let i = 0; i < ${lines}; i++) console.log('0123456789'); console.log('last')`,
  },
}

/** Bytes of output that the suite's executors keep. */
const OUTPUT_BYTES = 8_192

/** Words that a shell, or a text in quotes, would take for its own. */
const AWKWARD_TEXT = `é 漢字 👩‍🚀 "double" 'single' \`exit 9\` $HOME $(exit 9) %s \\n`

/** Characters of a long program: more than one argument of a command can hold. */
const LONG_PROGRAM_CHARS = 200_000

/** Timeout of a block that prints something and then hangs. */
const SHORT_TIMEOUT_SECONDS = 1.5

/** Time within which the processes of a closed executor must end. */
const MAX_EXIT_MS = 10_000

/** Time after which a call that has not begun counts as waiting for another one. */
const MAX_QUEUE_MS = 3_000

/** Time after a call in which its processes end; those of the executor itself stay. */
const MAX_IDLE_MS = 500

/** Checks that a code executor keeps the promises that agents rely on, and that it leaves no process behind. */
export function codeExecutorContract(runner: ContractRunner, contract: CodeExecutorContract): void {
  const bench = createBench(runner, contract)
  runner.describe('as every code executor', () => {
    checkResults(bench)
    checkLimits(bench)
    checkCalls(bench)
    checkStops(bench)
    checkRefusal(bench)
    checkOutput(bench)
    checkClosing(bench)
  })
}

/** The runner of the tests, and the means to run code with executors under test. */
interface ExecutorBench {
  readonly test: ContractRunner['test']
  readonly expect: ContractRunner['expect']
  readonly contract: CodeExecutorContract
  readonly program: (typeof PROGRAMS)[CodeExecutorContract['language']]
  readonly block: (code: string) => CodeBlock
  /** Runs codes in both forms of the call, if the executor has both, and checks each result. */
  readonly runInBothForms: (
    executor: CodeExecutor,
    blocks: readonly CodeBlock[],
    check: (result: CodeResult) => void,
  ) => Promise<void>
  /** Runs a test with the shared executor: some take long to start. */
  readonly use: (work: (executor: CodeExecutor) => Promise<void>) => Promise<void>
  /** Runs a test with an executor of its own, closes it, and checks that no process is left. */
  readonly useOwn: (work: (executor: CodeExecutor) => Promise<void>, timeout?: number) => Promise<void>
  /** Closes the shared executor and returns the processes that it leaves. */
  readonly closeShared: () => Promise<string[]>
}

function createBench({ test, expect }: ContractRunner, contract: CodeExecutorContract): ExecutorBench {
  const { language, blocking = true } = contract
  const create = (timeout: number): CodeExecutor => contract.create({ timeout, outputBytes: OUTPUT_BYTES })
  let shared: { readonly executor: CodeExecutor; readonly before: ProcessTree } | undefined
  const open = (): { readonly executor: CodeExecutor; readonly before: ProcessTree } =>
    (shared ??= { before: readProcessTree(), executor: create(20) })
  return {
    test,
    expect,
    contract,
    program: PROGRAMS[language],
    block: (code) => ({ language, code }),
    async runInBothForms(executor, blocks, check) {
      check(await executor.executeCodeBlocks(blocks))
      if (blocking && executor.executeCodeBlocksSync) check(executor.executeCodeBlocksSync(blocks))
    },
    async use(work) {
      await work(open().executor)
    },
    async useOwn(work, timeout = 20) {
      const before = readProcessTree()
      const executor = create(timeout)
      try {
        await work(executor)
      } finally {
        await executor.close?.()
      }
      expect(await awaitExits(before)).toEqual([])
    },
    async closeShared() {
      const { executor, before } = open()
      await executor.close?.()
      const left = await awaitExits(before)
      shared = undefined
      return left
    },
  }
}

/** Checks exit codes, output and languages. */
function checkResults({ test, expect, contract, program, block, runInBothForms, use, useOwn }: ExecutorBench): void {
  test('gives nothing for no blocks', async () => {
    await use((executor) =>
      runInBothForms(executor, [], ({ exitCode, output }) => expect([exitCode, output]).toEqual([0, ''])),
    )
  })

  test('runs blocks in order, joins their output, and reports their isolation', async () => {
    await use(async (executor) => {
      await runInBothForms(executor, [program.print('one'), program.print('two')].map(block), (result) => {
        expect([result.exitCode, result.output]).toEqual([0, 'one\ntwo\n'])
        expect(result.blocks?.map(({ reason }) => reason)).toEqual(['exit', 'exit'])
        expect(result.blocks?.map(({ isolation }) => isolation)).toEqual([contract.isolation, contract.isolation])
      })
      expect(executor.isolation).toBe(contract.isolation)
    })
  })

  test('stops at the first block that fails and gives its exit code', async () => {
    await use((executor) =>
      runInBothForms(executor, [program.print('one'), program.fail(3), program.print('three')].map(block), (result) => {
        expect([result.exitCode, result.output, result.blocks?.length]).toEqual([3, 'one\n', 2])
      }),
    )
  })

  test('takes no program for a success that was killed', async () => {
    await useOwn(async (executor) => {
      const { exitCode } = await executor.executeCodeBlocks([block(program.die)])
      expect(exitCode === 0).toBe(false)
    })
  })

  test('puts stderr before stdout', async () => {
    await use((executor) =>
      runInBothForms(executor, [`${program.print('out')}\n${program.printError('err')}`].map(block), (result) => {
        expect([result.output, result.blocks?.[0]?.stderr]).toEqual(['err\nout\n', 'err\n'])
      }),
    )
  })

  test('takes a language in any case, and refuses one it does not know', async () => {
    await use(async (executor) => {
      const loud = await executor.executeCodeBlocks([
        { language: contract.language.toUpperCase(), code: program.print('a') },
      ])
      expect(loud.output).toBe('a\n')
      const unknown = await executor.executeCodeBlocks([{ language: 'cobol', code: 'x' }, block(program.print('a'))])
      expect([unknown.exitCode, unknown.output]).toEqual([1, '\nunknown language cobol'])
      expect(unknown.blocks?.map(({ reason }) => reason)).toEqual(['unsupported-language'])
    })
  })
}

/** Checks timeouts and limits on output. */
function checkLimits({ test, expect, program, block, runInBothForms, use, useOwn }: ExecutorBench): void {
  test('ends a block that takes too long, keeps what it printed, and runs the next call', async () => {
    await useOwn(async (executor) => {
      await runInBothForms(executor, [program.hang, program.print('never')].map(block), (result) => {
        expect([result.exitCode, result.output]).toEqual([124, 'before\n\nTimeout'])
        expect(result.blocks?.map(({ reason }) => reason)).toEqual(['timeout'])
      })
      expect((await executor.executeCodeBlocks([block(program.print('after'))])).output).toBe('after\n')
    }, SHORT_TIMEOUT_SECONDS)
  })

  test('does not take an exit code for a timeout', async () => {
    await use((executor) =>
      runInBothForms(executor, [program.fail(124)].map(block), ({ exitCode, blocks }) => {
        expect([exitCode, blocks?.[0]?.reason]).toEqual([124, 'exit'])
      }),
    )
  })

  test('keeps head and tail of much output, and counts what it left out', async () => {
    await use((executor) =>
      runInBothForms(executor, [program.fill(2_000)].map(block), ({ exitCode, output, blocks }) => {
        expect(exitCode).toBe(0)
        expect([output.slice(0, 6), output.slice(-5)]).toEqual(['first\n', 'last\n'])
        expect(output.length < 9_000).toBe(true)
        expect((blocks?.[0]?.truncatedBytes ?? 0) > 10_000).toBe(true)
      }),
    )
  })

  test('ends a block that prints without end', async () => {
    await use((executor) =>
      runInBothForms(executor, [program.flood].map(block), ({ exitCode, output, blocks }) => {
        expect([exitCode, blocks?.[0]?.reason]).toEqual([137, 'output-limit'])
        expect(output.length < 9_000).toBe(true)
      }),
    )
  })
}

/** Checks events and calls that run at once. */
function checkCalls({ test, expect, program, block, use }: ExecutorBench): void {
  test('sends output as events', async () => {
    await use(async (executor) => {
      const events: Extract<XEvent, { type: 'codeOutput' }>[] = []
      const emit = (event: XEvent): void => void (event.type === 'codeOutput' && events.push(event))
      const blocks = [block(program.print('one')), block(program.print('two'))]
      await executor.executeCodeBlocks(blocks, { emit })
      // A line may come in several pieces.
      const pieces = Map.groupBy(events, (event) => `${event.block} ${event.stream}`)
      const texts = [...pieces].map(([from, each]) => [from, each.map(({ text }) => text).join('')])
      expect(texts).toEqual([
        ['0 stdout', 'one\n'],
        ['1 stdout', 'two\n'],
      ])
    })
  })

  test('keeps calls apart that run at once', async () => {
    await use(async (executor) => {
      const numbers = Array.from({ length: 8 }, (_, index) => `n${index}`)
      const results = await Promise.all(
        numbers.map(async (text) => await executor.executeCodeBlocks([block(program.print(text))])),
      )
      expect(results.map(({ output }) => output)).toEqual(numbers.map((text) => `${text}\n`))
    })
  })
}

/** Checks calls that are stopped, and what becomes of others. */
function checkStops({ test, expect, program, block, use, useOwn }: ExecutorBench): void {
  test('stops when it is aborted', async () => {
    await use(async (executor) => {
      const gone = new AbortController()
      gone.abort()
      const running = new AbortController()
      const emit = onOutput(() => running.abort())
      for (const options of [{ signal: gone.signal }, { signal: running.signal, emit }]) {
        let failure: unknown
        try {
          await executor.executeCodeBlocks([block(program.hang)], options)
        } catch (error) {
          failure = error
        }
        expect(isXError(failure, 'aborted')).toBe(true)
      }
    })
  })

  test('stops one call, and lets another go on that runs at once', async () => {
    await use(async (executor) => {
      const stop = new AbortController()
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const hanging = executor.executeCodeBlocks([block(program.hang)], { signal: stop.signal, emit: onOutput(begin) })
      await Promise.race([begun, hanging])
      const slow = executor.executeCodeBlocks([block(program.takeASecond)], { emit: onOutput(() => stop.abort()) })
      // An executor that runs one call at a time begins the second one after the stop.
      const waiting = setTimeout(() => stop.abort(), MAX_QUEUE_MS)
      const [stopped, ended] = await Promise.allSettled([hanging, slow])
      clearTimeout(waiting)
      expect(stopped.status).toBe('rejected')
      expect(ended.status === 'fulfilled' && ended.value.output).toBe('before\nafter\n')
    })
  })

  test('ends the processes of a call that is stopped, also while the executor is open', async () => {
    await useOwn(async (executor) => {
      const before = readProcessTree()
      await executor.executeCodeBlocks([block(program.print('a'))])
      const idle = await awaitExits(before, MAX_IDLE_MS)
      const stop = new AbortController()
      const hanging = executor.executeCodeBlocks([block(program.hang)], {
        signal: stop.signal,
        emit: onOutput(() => stop.abort()),
      })
      expect((await Promise.allSettled([hanging]))[0]?.status).toBe('rejected')
      expect((await awaitExits(before, MAX_EXIT_MS, idle.length)).slice(idle.length)).toEqual([])
    })
  })
}

/** Checks that an executor without blocking calls says so. */
function checkRefusal({ test, expect, contract, program, block, use }: ExecutorBench): void {
  if (contract.blocking ?? true) return
  test('refuses blocking calls', async () => {
    await use(async (executor) => {
      let failure: unknown
      try {
        executor.executeCodeBlocksSync?.([block(program.print('a'))])
      } catch (error) {
        failure = error
      }
      expect(!executor.executeCodeBlocksSync || isXError(failure, 'async-in-sync')).toBe(true)
    })
  })
}

/** Makes a listener that is called when code has printed something. */
const onOutput =
  (act: () => void) =>
  ({ type }: XEvent): void =>
    void (type === 'codeOutput' && act())

/** Checks escape sequences and files. */
function checkOutput({ test, expect, contract, program, block, runInBothForms, use, useOwn }: ExecutorBench): void {
  test('runs code of any length and with any character as it is', async () => {
    const long = program.comment(AWKWARD_TEXT.padEnd(LONG_PROGRAM_CHARS, '-'))
    const blocks = [block(`${long}\n${program.print('done')}`), block(program.splitCharacter)]
    await use((executor) =>
      runInBothForms(executor, blocks, ({ exitCode, output }) => expect([exitCode, output]).toEqual([0, 'done\né\n'])),
    )
  })

  test('strips escape sequences of terminals from the output', async () => {
    const escape =
      contract.language === 'sh'
        ? String.raw`printf '\033]8;;http://x\007\033[31mred\033[0m\n'`
        : program.print(String.raw`\u001b]8;;http://x\u0007\u001b[31mred\u001b[0m`)
    await use((executor) => runInBothForms(executor, [escape].map(block), ({ output }) => expect(output).toBe('red\n')))
  })

  test(contract.files ? 'saves blocks as files and lists the work directory' : 'keeps no files', async () => {
    await useOwn((executor) =>
      runInBothForms(
        executor,
        [contract.files ? `# filename: sub/a\n${program.print('a')}` : program.print('a')].map(block),
        (result) => {
          const names = result.artifacts?.map(({ name }) => name)
          expect(names).toEqual(contract.files ? ['sub', 'sub/a'] : [])
          expect(result.codeFile?.endsWith('/sub/a') ?? false).toBe(contract.files)
        },
      ),
    )
  })
}

/** Checks an executor that was closed. */
function checkClosing({ test, expect, contract, program, block, closeShared }: ExecutorBench): void {
  test('refuses work once it is closed', async () => {
    const executor = contract.create({ timeout: 20, outputBytes: 1_000 })
    await executor.close?.()
    let failure: unknown
    try {
      await executor.executeCodeBlocks([block(program.print('a'))])
    } catch (error) {
      failure = error
    }
    expect(isXError(failure, 'invalid-state')).toBe(true)
  })

  test('leaves no process once it is closed, whatever it ran', async () => {
    expect(await closeShared()).toEqual([])
  })
}

/**
 * Waits until at most `most` of the processes are left that were not there before, or the time is over; returns the command
 * lines of those that are left.
 */
async function awaitExits(before: ProcessTree, maxMs: number = MAX_EXIT_MS, most: number = 0): Promise<string[]> {
  for (let waited = 0; ; waited += 50) {
    const extras = [...readProcessTree()].filter(([pid]) => !before.has(pid)).map(([, command]) => command)
    if (extras.length <= most || waited >= maxMs) return extras
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Command lines of processes by their ids. */
type ProcessTree = ReadonlyMap<number, string>

/** Reads the processes that this process started, directly or through others; empty on systems other than Linux. */
function readProcessTree(): ProcessTree {
  const { readdirSync, readFileSync } = process.getBuiltinModule('node:fs')
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return ''
    }
  }
  const processes = new Map<number, string>()
  const pids = [process.pid]
  for (const pid of pids) {
    let tasks: string[] = []
    try {
      tasks = readdirSync(`/proc/${pid}/task`)
    } catch {
      // The process has ended, or the system has no `/proc`.
    }
    for (const task of tasks) {
      for (const child of read(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number)) {
        processes.set(child, read(`/proc/${child}/cmdline`).replaceAll('\0', ' ').trim())
        pids.push(child)
      }
    }
  }
  return processes
}
