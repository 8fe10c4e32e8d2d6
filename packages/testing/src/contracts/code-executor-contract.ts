import type { CodeExecutor, CodeResult, Isolation, XEvent } from '@x/interfaces'
import { isXError } from '@x/kernel'
import type { ContractRunner } from './contract-runner.ts'
import { readTree, type Tree } from './process-listing.ts'

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
}

/** Programs of the suite, by language. */
const PROGRAMS = {
  sh: {
    print: (text: string) => `echo ${text}`,
    printError: (text: string) => `echo ${text} >&2`,
    fail: (code: number) => `exit ${code}`,
    hang: 'echo before; sleep 1000',
    flood: 'while :; do echo 0123456789012345678901234567890123456789; done',
    fill: (lines: number) =>
      `echo first; i=0; while [ $i -lt ${lines} ]; do echo 0123456789; i=$((i+1)); done; echo last`,
  },
  python: {
    print: (text: string) => `print('${text}')`,
    printError: (text: string) => `import sys; print('${text}', file=sys.stderr)`,
    fail: (code: number) => `raise SystemExit(${code})`,
    hang: `print('before', flush=True)\nwhile True: pass`,
    flood: `while True: print('0123456789012345678901234567890123456789')`,
    fill: (lines: number) => `print('first')\nfor i in range(${lines}): print('0123456789')\nprint('last')`,
  },
  javascript: {
    print: (text: string) => `console.log('${text}')`,
    printError: (text: string) => `console.error('${text}')`,
    fail: (code: number) => `process.exit(${code})`,
    hang: `console.log('before'); for (;;);`,
    // A process of Node writes to a pipe between its tasks.
    flood: `const flood = () => { for (let i = 0; i < 500; i++) console.log('0123456789012345678901234567890123456789'); setTimeout(flood) }; flood()`,
    fill: (lines: number) =>
      `console.log('first'); for (let i = 0; i < ${lines}; i++) console.log('0123456789'); console.log('last')`,
  },
}

/** Bytes of output that the suite's executors keep. */
const OUTPUT_BYTES = 8_192

/** Seconds of a block that is to run out of time, after it has printed something. */
const BRIEF = 1.5

/** Milliseconds within which the processes of an executor that was closed are gone. */
const GONE = 10_000

/** Checks that a code executor keeps the promises that agents rely on, and that it leaves no process behind. */
export function codeExecutorContract({ describe, test, expect }: ContractRunner, its: CodeExecutorContract): void {
  const { language } = its
  const program = PROGRAMS[language]
  const block = (code: string): { language: string; code: string } => ({ language, code })

  /** Runs a test with an executor of its own, closes it, and checks that no process is left. */
  const useOwn = async (work: (executor: CodeExecutor) => Promise<void>, timeout = 20): Promise<void> => {
    const before = readTree()
    const executor = its.create({ timeout, outputBytes: OUTPUT_BYTES })
    try {
      await work(executor)
    } finally {
      await executor.close?.()
    }
    expect(await settledExtras(before)).toEqual([])
  }
  /** Executor of the tests that need no other, and the processes that were there before it: some take long to start. */
  let shared: { readonly executor: CodeExecutor; readonly before: Tree } | undefined
  const use = async (work: (executor: CodeExecutor) => Promise<void>): Promise<void> => {
    shared ??= { before: readTree(), executor: its.create({ timeout: 20, outputBytes: OUTPUT_BYTES }) }
    await work(shared.executor)
  }
  /** Both faces of one call. */
  const faces = async (
    executor: CodeExecutor,
    codes: readonly string[],
    check: (result: CodeResult, face: string) => void,
  ): Promise<void> => {
    const blocks = codes.map(block)
    check(await executor.executeCodeBlocks(blocks), 'async')
    if (executor.executeCodeBlocksSync) check(executor.executeCodeBlocksSync(blocks), 'sync')
  }

  describe('as every code executor', () => {
    test('gives nothing for no blocks', async () => {
      await use((executor) =>
        faces(executor, [], ({ exitCode, output }) => expect([exitCode, output]).toEqual([0, ''])),
      )
    })

    test('runs blocks in order, joins what they print, and says what kept them apart', async () => {
      await use(async (executor) => {
        await faces(executor, [program.print('one'), program.print('two')], (result) => {
          expect([result.exitCode, result.output]).toEqual([0, 'one\ntwo\n'])
          expect(result.blocks?.map(({ reason }) => reason)).toEqual(['exit', 'exit'])
          expect(result.blocks?.map(({ isolation }) => isolation)).toEqual([its.isolation, its.isolation])
        })
        expect(executor.isolation).toBe(its.isolation)
      })
    })

    test('stops at the first block that fails and gives its exit code', async () => {
      await use((executor) =>
        faces(executor, [program.print('one'), program.fail(3), program.print('three')], (result) => {
          expect([result.exitCode, result.output, result.blocks?.length]).toEqual([3, 'one\n', 2])
        }),
      )
    })

    test('puts errors before what was printed', async () => {
      await use((executor) =>
        faces(executor, [`${program.print('out')}\n${program.printError('err')}`], (result) => {
          expect([result.output, result.blocks?.[0]?.stderr]).toEqual(['err\nout\n', 'err\n'])
        }),
      )
    })

    test('takes a language in any case, and refuses one it does not know', async () => {
      await use(async (executor) => {
        const loud = await executor.executeCodeBlocks([{ language: language.toUpperCase(), code: program.print('a') }])
        expect(loud.output).toBe('a\n')
        const unknown = await executor.executeCodeBlocks([{ language: 'cobol', code: 'x' }, block(program.print('a'))])
        expect([unknown.exitCode, unknown.output]).toEqual([1, '\nunknown language cobol'])
        expect(unknown.blocks?.map(({ reason }) => reason)).toEqual(['unsupported-language'])
      })
    })

    test('ends a block that takes too long, keeps what it printed, and runs the next call', async () => {
      await useOwn(async (executor) => {
        await faces(executor, [program.hang, program.print('never')], (result) => {
          expect([result.exitCode, result.output]).toEqual([124, 'before\n\nTimeout'])
          expect(result.blocks?.map(({ reason }) => reason)).toEqual(['timeout'])
        })
        expect((await executor.executeCodeBlocks([block(program.print('after'))])).output).toBe('after\n')
      }, BRIEF)
    })

    test('does not take an exit code for a timeout', async () => {
      await use((executor) =>
        faces(executor, [program.fail(124)], ({ exitCode, blocks }) => {
          expect([exitCode, blocks?.[0]?.reason]).toEqual([124, 'exit'])
        }),
      )
    })

    test('keeps head and tail of much output, and counts what it left out', async () => {
      await use((executor) =>
        faces(executor, [program.fill(2_000)], ({ exitCode, output, blocks }) => {
          expect(exitCode).toBe(0)
          expect([output.slice(0, 6), output.slice(-5)]).toEqual(['first\n', 'last\n'])
          expect(output.length < 9_000).toBe(true)
          expect((blocks?.[0]?.truncatedBytes ?? 0) > 10_000).toBe(true)
        }),
      )
    })

    test('ends a block that prints without end', async () => {
      await use((executor) =>
        faces(executor, [program.flood], ({ exitCode, output, blocks }) => {
          expect([exitCode, blocks?.[0]?.reason]).toEqual([137, 'output-limit'])
          expect(output.length < 9_000).toBe(true)
        }),
      )
    })

    test('sends output as events', async () => {
      await use(async (executor) => {
        const events: Extract<XEvent, { type: 'codeOutput' }>[] = []
        const emit = (event: XEvent): void => void (event.type === 'codeOutput' && events.push(event))
        const blocks = [block(program.print('one')), block(program.print('two'))]
        await executor.executeCodeBlocks(blocks, { emit })
        const text = events.map((event) => `${event.block} ${event.stream} ${event.text}`).join('')
        expect(text).toBe('0 stdout one\n1 stdout two\n')
      })
    })

    test('stops when it is told to', async () => {
      await use(async (executor) => {
        const gone = new AbortController()
        gone.abort()
        const running = new AbortController()
        const emit = (event: XEvent): void => void (event.type === 'codeOutput' && running.abort())
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

    test('keeps calls apart that run at once', async () => {
      await use(async (executor) => {
        const numbers = Array.from({ length: 8 }, (_, index) => `n${index}`)
        const results = await Promise.all(
          numbers.map(async (text) => await executor.executeCodeBlocks([block(program.print(text))])),
        )
        expect(results.map(({ output }) => output)).toEqual(numbers.map((text) => `${text}\n`))
      })
    })

    test('strips what steers a terminal from its output', async () => {
      const escape =
        language === 'sh'
          ? String.raw`printf '\033]8;;http://x\007\033[31mred\033[0m\n'`
          : program.print(String.raw`\u001b]8;;http://x\u0007\u001b[31mred\u001b[0m`)
      await use((executor) => faces(executor, [escape], ({ output }) => expect(output).toBe('red\n')))
    })

    test(its.files ? 'saves blocks as files and lists what lies in the work directory' : 'keeps no files', async () => {
      await useOwn((executor) =>
        faces(executor, [its.files ? `# filename: sub/a\n${program.print('a')}` : program.print('a')], (result) => {
          const names = result.artifacts?.map(({ name }) => name)
          expect(names).toEqual(its.files ? ['sub', 'sub/a'] : [])
          expect(result.codeFile?.endsWith('/sub/a') ?? false).toBe(its.files)
        }),
      )
    })

    test('refuses work once it is closed', async () => {
      const executor = its.create({ timeout: 20, outputBytes: 1_000 })
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
      await use(async (executor) => {
        await executor.close?.()
        expect(await settledExtras(shared!.before)).toEqual([])
      })
      shared = undefined
    })
  })

  /** Returns the processes that were not there before and stay. */
  async function settledExtras(before: Tree): Promise<string[]> {
    for (let waited = 0; ; waited += 50) {
      const extras = [...readTree()].filter(([pid]) => !before.has(pid)).map(([, command]) => command)
      if (extras.length === 0 || waited >= GONE) return extras
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
