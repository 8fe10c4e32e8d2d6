import type { XEvent } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { codeExecutionConfig } from './code-execution-config.ts'
import { createCodeExecutor } from './create-code-executor.ts'
import { createCustomExecutor } from './create-custom-executor.ts'

describe('the options of an executor', () => {
  it.each([
    [{ work_dir: 'x' }, 'did you mean `workDir`?'],
    [{ timeout: '3' }, 'write `timeout: 3`, without quotes'],
    [{ trust: 'hots' }, "`trust` is 'hots'; give 'host'"],
    [{ execute: { pyhton: true } }, 'with this `execute`: the option `pyhton` is unknown; did you mean `python`?'],
    [{ execute: { python: 'yes' } }, "`python` is 'yes'; give true or false"],
    [{ cwd: 'x' }, 'the option `cwd` is unknown; write `workDir`'],
    [{ timeoutMs: 5 }, 'write `timeout`, in seconds'],
    [{ memory: '512m' }, 'write `limits: { memoryBytes: 512 * 2 ** 20 }`'],
    [{ dockerImage: 'x' }, "write `image`, for the kind 'container'"],
    [{ use_docker: true }, "give the kind first, as in `createCodeExecutor('container')`"],
    [{ languages: ['python'] }, 'write `execute: { python: true }`, with the languages that run'],
    [{ envVars: {} }, 'write `env`'],
    [{ allowNetwork: true }, "write `network: 'host'`, or leave it out for none"],
    [{ limits: { memoryMb: 1 } }, 'the option `memoryMb` is unknown; write `memoryBytes: 512 * 2 ** 20`'],
    [{ limits: { memoryByte: 1 } }, 'did you mean `memoryBytes`?'],
    [
      { limits: { wrong: 1 } },
      'cannot run code with these `limits`: the option `wrong` is unknown; it takes `timeout`',
    ],
    [{ limits: { pids: '9' } }, 'cannot run code with the limit `pids` 9: give at least 1'],
    [{ env: { ASKED: 'hi\0--share-net' } }, 'the variable "ASKED" of `env` has a zero character'],
    [{ env: { 'A=B': 'c' } }, 'the variable "A=B" of `env` has no name that a variable can have'],
    [{ env: { '': 'c' } }, 'the variable "" of `env` has no name that a variable can have'],
    [
      { env: { KEY: undefined } },
      'the variable "KEY" of `env` is not a text; give a text for each name, or leave it out',
    ],
    [{ env: { KEY: 5 } }, 'the variable "KEY" of `env` is not a text'],
    [{ readOnly: ['/etc/hostname\0--bind\0/\0/tmp'] }, 'in `readOnly` is not an absolute path'],
    [{ readOnly: ['data'] }, '"data" in `readOnly` is not an absolute path'],
    [{ readOnly: ['/usr', '/no/such/path'] }, '"/no/such/path" in `readOnly` is not there'],
    [{ files: { 'a.csv': '' } }, 'write `workDir`, or `readOnly`'],
    [{ packages: ['numpy'] }, 'install them there, or give an `image` that has them'],
  ])('are refused before anything starts: %o', (options, text) => {
    expect(() => createCodeExecutor('auto', options as never)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) }),
    )
  })

  it.each([
    ['docker', "write `createCodeExecutor('container')`"],
    ['Docker', "write `createCodeExecutor('container')`"],
    ['podman', "write `createCodeExecutor('container')`"],
    ['host', "write `createCodeExecutor('local', { trust: 'host' })`"],
    ['command-line', "write `createCodeExecutor('local', { trust: 'host' })`"],
    ['bwrap', "write `createCodeExecutor('bubblewrap')`"],
    ['pyodide', "write `createCodeExecutor('wasm')`"],
    ['jupyter', 'write `createCustomExecutor(jupyterKernel, { settings: { url, token } })`'],
    ['python', "write `createCodeExecutor('auto')`"],
    ['E2B', 'give it to `createCustomExecutor`: docs/hosted-sandboxes.md shows one'],
    ['contaner', 'did you mean `container`?'],
    ['magic', 'choose one of `auto`, `local`, `sandbox`'],
    [{ trust: 'host' }, "it comes before the options, as in `createCodeExecutor('auto', { … })`"],
  ])('come after a kind; for %j, the error says which one', (kind, text) => {
    expect(() => createCodeExecutor(kind as never)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) }),
    )
  })

  it('have the names of the Python library in camelCase', () => {
    expect(() => codeExecutionConfig({ work_dir: 'x', use_docker: false } as never)).toThrow('did you mean `workDir`?')
    expect(() => codeExecutionConfig({ image: 'x' } as never)).toThrow('the option `image` is unknown')
  })

  it('name a directory that can be made', async () => {
    await using executor = createCodeExecutor('auto', { workDir: import.meta.filename })
    const refused = { code: 'invalid-argument', message: expect.stringContaining('give a directory that') }
    const run = async (): Promise<unknown> => await executor.executeCodeBlocks([{ language: 'js', code: '' }])
    await expect(run()).rejects.toMatchObject(refused)
    expect(() => executor.walls).toThrow(expect.objectContaining(refused))
  })

  it('warn once of a timeout above an hour, since it is in seconds', async () => {
    const createBackend = (): never => ({ fault: () => null, run: () => ({ exitCode: 0 }) }) as never
    await using executor = createCustomExecutor(
      { isolation: 'host', specVersion: 1, createBackend },
      { timeout: 60_000 },
    )
    const events: XEvent[] = []
    for (let i = 0; i < 2; i++) await executor.executeCodeBlocks([], { emit: (event) => void events.push(event) })
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { type: 'warning', topic: 'timeout', text: expect.stringContaining('is 60000 seconds, which is 16.7 hours') },
    ])
  })
})

describe('blocks', () => {
  const createBackend = (): never => ({ fault: () => null, run: () => ({ exitCode: 0 }) }) as never
  const executor = createCustomExecutor({ isolation: 'host', specVersion: 1, createBackend })

  it.each([
    ['print(1)', 'its blocks are a text; give a list, as in [{ language: '],
    [{ language: 'python', code: 'print(1)' }, 'its blocks are not a list; give a list'],
    [undefined, 'its blocks are not a list; give a list'],
    [[{ lang: 'python', code: 'print(1)' }], 'block 0 has no `language`; give a text for each'],
    [[{ language: 'sh', code: ':' }, { language: 'sh' }], 'block 1 has no `code`'],
    [['print(1)'], 'block 0 has no `language`'],
  ])('are a list of languages with code, and not %j', async (blocks, text) => {
    const refused = { code: 'invalid-argument', message: expect.stringContaining(text) }
    await expect(executor.executeCodeBlocks(blocks as never)).rejects.toMatchObject(refused)
    expect(() => executor.executeCodeBlocksSync(blocks as never)).toThrow(expect.objectContaining(refused))
  })

  it('have the timeout of their executor', async () => {
    const run = async (): Promise<unknown> => await executor.executeCodeBlocks([], { timeout: 5 } as never)
    await expect(run()).rejects.toThrow('give `timeout` to the executor when you create it')
  })
})
