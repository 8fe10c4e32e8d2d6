import { codeExecutorContract, type ContractRunner } from '@x/testing'
import { describe, expect, it, test, vi } from 'vitest'
import { createCustomExecutor, type CustomExecutorOptions } from '../create-custom-executor.ts'
import type { BlockExecutor } from '../executor.ts'
import { jupyterKernel } from './jupyter-kernel.ts'

// Each test starts kernels of its own.
vi.setConfig({ testTimeout: 120_000 })

const url = process.env['X_JUPYTER_URL']
const token = process.env['X_JUPYTER_TOKEN']
if (url === undefined) {
  if (process.env['X_CI_EXPECTS']?.includes('jupyter')) throw new Error('CI expects jupyter')
  console.warn('skipped: a real Jupyter server: start one, and set X_JUPYTER_URL and X_JUPYTER_TOKEN')
}
const create = (options: CustomExecutorOptions = {}): BlockExecutor =>
  createCustomExecutor(jupyterKernel, { ...options, settings: { url: url ?? '', token } })

/** What a kernel does not have: exit codes. It takes `SystemExit` for a mistake, and says so. */
const WITHOUT = new Set([
  'stops at the first block that fails and gives its exit code',
  'does not take an exit code for a timeout',
])
const tested: ContractRunner['test'] = (title, work) => (WITHOUT.has(title) ? test.skip : test)(title, work)

describe.skipIf(url === undefined)('a real Jupyter server', () => {
  codeExecutorContract(
    { describe, test: tested, expect },
    {
      create: ({ timeout, outputBytes }) => create({ timeout, limits: { outputBytes } }),
      language: 'python',
      isolation: 'host',
      files: true,
    },
  )

  const run = async (executor: BlockExecutor, code: string): Promise<string> =>
    (await executor.executeCodeBlocks([{ language: 'python', code }])).output

  it('keeps its state between blocks, in both kinds of calls, and apart from other executors', async () => {
    await using executor = create()
    await using other = create()
    expect(await run(executor, 'x = 41\nprint("set")')).toBe('set\n')
    expect(executor.executeCodeBlocksSync([{ language: 'python', code: 'x += 1\nx' }]).output).toBe('42\n')
    expect(await run(executor, 'x')).toBe('42\n')
    expect(await run(other, '"x" in globals()')).toBe('False\n')
    await executor.restart()
    expect(await run(executor, '"x" in globals()')).toBe('False\n')
  })

  it('returns rich output of cells', async () => {
    await using executor = create()
    const { output, artifacts } = await executor.executeCodeBlocks([
      { language: 'python', code: 'from IPython.display import HTML, display\ndisplay(HTML("<b>a</b>"))\n6 * 7' },
    ])
    expect(output).toMatch(/^<IPython\.core\.display\.HTML object>\nHTML data saved to .*\.html\n42\n$/u)
    expect(artifacts!.some(({ name, size }) => name.endsWith('.html') && size === 8)).toBe(true)
  })

  it('is replaced after it died', async () => {
    // The server looks every three seconds whether a kernel lives.
    await using executor = create({ timeout: 30 })
    expect(await run(executor, 'import os\nos._exit(3)')).toContain('what earlier blocks left in it is lost')
    expect(await run(executor, 'print("next")')).toBe('next\n')
  })

  it('is shut down if code cannot be interrupted', async () => {
    await using executor = create()
    const deaf = 'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nx = 1\nprint("deaf")\nwhile True: pass'
    const stop = new AbortController()
    const stopped = executor.executeCodeBlocks([{ language: 'python', code: deaf }], {
      signal: stop.signal,
      emit: ({ type }) => void (type === 'codeOutput' && stop.abort()),
    })
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' })
    expect(await run(executor, '"x" in globals()')).toBe('False\n')
  })
})
