import { execFileSync } from 'node:child_process'
import { codeExecutorContract } from '@x/testing'
import type { CodeBlock } from '@x/interfaces'
import { XError } from '@x/kernel'
import { afterEach, describe, expect, it, test, vi } from 'vitest'
import { createCustomExecutor, type CustomExecutorOptions } from '../create-custom-executor.ts'
import type { BlockExecutor } from '../executor.ts'
import type { Job } from '../run/job.ts'
import type { BackendFactory, Backend, JobResult } from './backend.ts'
import { crashing, echo, processes } from './backends.fake.ts'

const MIB = 2 ** 20
const js = (code: string): CodeBlock => ({ language: 'javascript', code })
const open: BlockExecutor[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const executor of open.splice(0)) await executor.close()
})
const closedAfterwards = (executor: BlockExecutor): BlockExecutor => {
  open.push(executor)
  return executor
}
/** An executor on a backend that lives in this thread alone. */
const onBackend = (
  backend: Partial<Backend>,
  options: CustomExecutorOptions = {},
  facts: Partial<BackendFactory> = {},
): BlockExecutor => {
  const createBackend = (): Backend => ({ fault: () => null, run: () => ({ exitCode: 0 }), ...backend })
  return closedAfterwards(
    createCustomExecutor({ isolation: 'container', specVersion: 1, createBackend, ...facts }, options),
  )
}
const failureOf = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe('a backend of processes', () => {
  codeExecutorContract(
    { describe, test, expect },
    {
      create: ({ timeout, outputBytes }) => createCustomExecutor(processes, { timeout, limits: { outputBytes } }),
      language: 'javascript',
      isolation: 'host',
      files: true,
    },
  )
})

it('runs blocking calls in a program with flags of V8, whose list no thread takes', () => {
  const program = `const { createCustomExecutor } = await import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)})
const { echo } = await import(${JSON.stringify(new URL('backends.fake.ts', import.meta.url).href)})
const executor = createCustomExecutor(echo, { id: 'e1', settings: { greeting: 'hello' } })
const { output } = executor.executeCodeBlocksSync([{ language: 'javascript', code: '1' }])
console.log(output)
await executor.close()`
  const flags = ['--conditions=@x/source', '--max-old-space-size=500', '-']
  expect(execFileSync(process.execPath, flags, { input: program, encoding: 'utf8' })).toContain('hello e1')
})

describe('a backend that keeps files itself', () => {
  it('gets its settings and the same id in both kinds of calls', async () => {
    const executor = closedAfterwards(createCustomExecutor(echo, { id: 'e1', settings: { greeting: 'hello' } }))
    const blocks = [js('// filename: a.js\n1')]
    for (const result of [await executor.executeCodeBlocks(blocks), executor.executeCodeBlocksSync(blocks)]) {
      expect(result.output).toBe('hello e1\n// filename: a.js\n1')
      expect([result.codeFile, result.blocks?.[0]?.file]).toEqual(['/remote/a.js', 'a.js'])
      expect(result.artifacts).toEqual([{ name: 'a.js', size: 19, kind: 'file' }])
    }
    expect(executor.isolation).toBe('container')
  })

  it('learns which blocks are only saved', async () => {
    const executor = closedAfterwards(createCustomExecutor(echo, { settings: { greeting: 'hello' } }))
    const { output, blocks } = await executor.executeCodeBlocks([{ language: 'html', code: '<p>' }])
    expect(output).toMatch(/^Code saved to \/remote\/tmp_code_\w+\.html\n$/u)
    expect(blocks?.[0]).toMatchObject({ reason: 'saved', exitCode: 0, isolation: undefined })
  })
})

describe('the executor around a backend', () => {
  it('saves a block that is only saved without calling the backend', async () => {
    const run = vi.fn(() => ({ exitCode: 1 }))
    const executor = onBackend({ run, fault: () => 'never' })
    const { exitCode, artifacts } = await executor.executeCodeBlocks([{ language: 'css', code: '# filename: a.css\n' }])
    expect([exitCode, artifacts, run.mock.calls]).toEqual([0, [{ name: 'a.css', size: 18, kind: 'file' }], []])
  })

  it('keeps the result of code whose files cannot be listed, and tells an `XError`', async () => {
    const failing = (error: Error): Partial<Backend> => ({
      run: () => ({ exitCode: 0, stdout: 'paid', savedAs: '/remote/a.js' }),
      artifacts: () => Promise.reject(error),
    })
    const result = await onBackend(failing(new Error('503'))).executeCodeBlocks([js('')])
    expect(result).toMatchObject({ exitCode: 0, output: 'paid', artifacts: [] })
    const told = onBackend(failing(new XError('no-sandbox', 'gone'))).executeCodeBlocks([js('')])
    await expect(told).rejects.toMatchObject({ code: 'no-sandbox' })
  })

  it.each([undefined, null, {}])('says of a backend that returns %j that it gave no exit code', async (result) => {
    const { exitCode, output } = await onBackend({ run: () => result as never }).executeCodeBlocks([js('')])
    expect([exitCode, output]).toEqual([1, 'the backend gave no exit code'])
  })

  it('takes a `fault` of JavaScript that returns nothing for one that finds nothing', async () => {
    const executor = onBackend({ fault: () => undefined as never, run: () => ({ exitCode: 0, stdout: 'ran' }) })
    expect((await executor.executeCodeBlocks([{ language: 'js', code: '1' }])).output).toBe('ran')
    await executor.close()
  })

  it('calls `fault` once for each language, and again after a fault', async () => {
    const answers = ['no machine is free', null]
    const fault = vi.fn(() => answers.shift() ?? null)
    const executor = onBackend({ fault })
    const { exitCode, output, blocks } = await executor.executeCodeBlocks([js('')])
    expect([exitCode, output]).toEqual([1, 'cannot run javascript: no machine is free'])
    expect(blocks?.[0]).toMatchObject({ reason: 'unsupported-language', isolation: undefined })
    for (let round = 0; round < 2; round++) expect((await executor.executeCodeBlocks([js('')])).exitCode).toBe(0)
    expect(fault).toHaveBeenCalledTimes(2)
  })

  it.each<[what: string, end: (executor: BlockExecutor) => Promise<unknown>]>([
    ['a job that did not end by itself', (executor) => executor.executeCodeBlocks([js('die')])],
    ['a restart', (executor) => executor.restart()],
  ])('asks again whether a language can run after %s', async (_, end) => {
    const fault = vi.fn(() => null)
    const run = ({ code }: Job): JobResult => ({ exitCode: 0, reason: code === 'die' ? 'engine' : 'exit' })
    const executor = onBackend({ fault, run })
    await executor.executeCodeBlocks([js('')])
    await end(executor)
    expect(fault).toHaveBeenCalledOnce()
    await executor.executeCodeBlocks([js('')])
    expect(fault).toHaveBeenCalledTimes(2)
  })

  it('caps output that arrives as one piece', async () => {
    const stdout = `first\n${'0123456789\n'.repeat(2_000)}last\n`
    const executor = onBackend({ run: () => ({ exitCode: 3, stdout }) }, { limits: { outputBytes: 4_096 } })
    const { exitCode, output, blocks } = await executor.executeCodeBlocks([js('')])
    expect([exitCode, output.slice(0, 6), output.slice(-5)]).toEqual([3, 'first\n', 'last\n'])
    expect(blocks?.[0]?.truncatedBytes).toBeGreaterThan(15_000)
  })

  it.each([
    ['an error', () => Promise.reject(new Error('the wire is cut')), 'the wire is cut'],
    ['an error of `fault`', undefined, 'cannot run javascript: no wire'],
    ['no exit code', () => ({}) as { exitCode: number }, 'the backend gave no exit code'],
  ])('makes of %s a block that failed', async (_, run, output) => {
    const fault = (): null => {
      if (!run) throw new Error('no wire')
      return null
    }
    const result = await onBackend({ fault, ...(run && { run }) }).executeCodeBlocks([js('')])
    expect([result.exitCode, result.output]).toEqual([1, output])
  })

  it('passes on an `XError`', async () => {
    const error = new XError('no-sandbox', 'cannot run code: the service has no room')
    await expect(onBackend({ run: () => Promise.reject(error) }).executeCodeBlocks([js('')])).rejects.toBe(error)
  })

  it('reports why a job was stopped, even if it then throws', async () => {
    const run: Backend['run'] = async (_, { signal, onOutput }) => {
      onOutput({ stream: 'stdout', text: 'x'.repeat(200_000) })
      signal.throwIfAborted()
      return { exitCode: 0 }
    }
    const executor = onBackend({ run }, { limits: { outputBytes: 4_096 } })
    const { exitCode, blocks } = await executor.executeCodeBlocks([js('')])
    expect([exitCode, blocks?.[0]?.reason]).toEqual([137, 'output-limit'])
  })

  it('gives up on a backend that does not end a job, or does not become ready', async () => {
    vi.useFakeTimers()
    const { promise: never } = Promise.withResolvers<never>()
    const stuck = onBackend({ run: () => never }, { timeout: 2 }).executeCodeBlocks([js('')])
    const unready = onBackend({ fault: () => never }).executeCodeBlocks([js('')])
    await vi.advanceTimersByTimeAsync(7_000)
    expect((await stuck).blocks?.[0]).toMatchObject({ reason: 'engine', exitCode: 1 })
    await vi.advanceTimersByTimeAsync(113_000)
    expect((await unready).output).toContain('was not ready within 120 s')
  })

  it('ends a job that fills the work directory', async () => {
    const executor = closedAfterwards(createCustomExecutor(processes, { limits: { workspaceBytes: MIB } }))
    const code = `require('fs').writeFileSync('big', Buffer.alloc(${2 * MIB})); for (;;);`
    const { exitCode, blocks } = await executor.executeCodeBlocks([js(code)])
    expect([exitCode, blocks?.[0]?.reason]).toEqual([137, 'disk'])
  })

  it('runs as many jobs at once as the backend allows', async () => {
    let running = 0
    let most = 0
    const run = async (): Promise<{ exitCode: number }> => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      return { exitCode: 0 }
    }
    const executor = onBackend({ run }, {}, { concurrency: 2 })
    await Promise.all(Array.from({ length: 6 }, async () => await executor.executeCodeBlocks([js('')])))
    expect(most).toBe(2)
  })
})

describe('a blocking call', () => {
  it('names the remedy if the backend has no `module`', async () => {
    const error = failureOf(() => onBackend({}).executeCodeBlocksSync([js('')]))
    expect(error).toMatchObject({
      code: 'async-in-sync',
      message: expect.stringMatching(/no `module`.*without `Sync`/u),
    })
  })

  it.each([
    ['a function', { key: () => 'k' }, 'settings.key'],
    ['an instance', { pool: { agent: new Map() } }, 'settings.pool.agent'],
  ])('refuses settings with %s by its path, and shows no value', (_, settings, key) => {
    const factory: BackendFactory<unknown> = {
      ...processes,
      createBackend: () => ({ fault: () => null, run: () => ({ exitCode: 0 }) }),
    }
    const error = failureOf(() =>
      closedAfterwards(createCustomExecutor(factory, { settings })).executeCodeBlocksSync([js('')]),
    )
    expect(error).toMatchObject({
      code: 'async-in-sync',
      details: { key },
      message: expect.stringContaining(`\`${key}\``),
    })
  })

  it.each([
    ['no such export', { ...processes.module!, export: 'other' }, 'no export `other`'],
    ['no such module', { specifier: 'x-executor-absent', export: 'a' }, 'x-executor-absent'],
  ])('says what the thread cannot import: %s', (_, module, text) => {
    const executor = closedAfterwards(createCustomExecutor({ ...processes, module }))
    const error = failureOf(() => executor.executeCodeBlocksSync([js('')]))
    expect(error).toMatchObject({ code: 'invalid-state', message: expect.stringContaining(text) })
  })

  it('fails instead of hanging if an error of the backend ends the thread', async () => {
    const executor = closedAfterwards(createCustomExecutor(crashing))
    const call = (): unknown => failureOf(() => executor.executeCodeBlocksSync([js('')]))
    expect(call()).toMatchObject({ code: 'invalid-state', message: 'a fault beside the job' })
    expect(call()).toMatchObject({ code: 'invalid-state', message: expect.stringContaining('ended without an answer') })
    await executor.close()
  })
})

describe('createCustomExecutor', () => {
  it.each([undefined, {}, Promise.resolve({})])('says that `createBackend` gave %j and no backend', async (made) => {
    const factory = { ...processes, createBackend: () => made as Backend }
    const running = closedAfterwards(createCustomExecutor(factory)).executeCodeBlocks([js('')])
    const message = expect.stringMatching(
      /`createBackend` gave no backend\. Return an object with `fault` and `run`/u,
    ) as unknown
    await expect(running).rejects.toMatchObject({ code: 'invalid-argument', message })
  })

  it.each([
    ['a newer version', { specVersion: 2 }, /version 2 .*supports version 1\. Upgrade `@x\/exec`/u],
    ['an older version', { specVersion: 0 }, /version 0 .*supports version 1\. Upgrade the backend/u],
    ['no version', { specVersion: undefined }, /does not say its version .*Give it `specVersion: 1`/u],
    ['an unknown isolation', { isolation: 'vm' }, /`isolation` of the backend .* is "vm"\. Give .*'container'/u],
    ['a factory that makes nothing', { createBackend: undefined }, /has no `createBackend`/u],
    ['a concurrency of 0', { concurrency: 0 }, /`concurrency` of the backend `x-executor-fake` is 0/u],
  ])('refuses %s', (_, change, message) => {
    const error = failureOf(() => createCustomExecutor({ ...processes, ...change } as BackendFactory))
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringMatching(message) })
  })
})
