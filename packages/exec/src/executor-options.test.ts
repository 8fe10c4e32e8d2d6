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
    [{ limits: { pids: '9' } }, 'cannot run code with the limit `pids` 9: give at least 1'],
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
