import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isXError } from '@x/kernel'
import { describe, expect, it } from 'vitest'
import { createCodeExecutor } from '../create-code-executor.ts'
import type { ExecutorKind } from './kinds.ts'
import { failedOutcome, type LimitedBackend } from '../run/job.ts'
import { limitsOf } from '../run/limits.ts'
import type { Runtime } from '../run/languages.ts'
import { autoBackend } from './auto.ts'

const fake = (isolation: LimitedBackend['isolation'], languages: Runtime[]): LimitedBackend => ({
  isolation,
  fault: async (runtime) => (languages.includes(runtime) ? null : `no ${runtime}`),
  run: async () => ({ ...failedOutcome('exit', '', 0), isolation }),
  artifacts: async () => [],
  close: async () => {},
})
const job = (runtime: Runtime) => ({ runtime, code: '', file: 'f', saveOnly: false, limits: limitsOf() })

describe('autoBackend', () => {
  it('takes the first backend that works for each language', async () => {
    const auto = autoBackend([
      fake('wasm', ['javascript']),
      fake('sandbox', ['sh']),
      fake('container', ['sh', 'python']),
    ])
    const of = async (runtime: Runtime) => (await auto.run(job(runtime), {})).isolation
    expect([await of('javascript'), await of('sh'), await of('python')]).toEqual(['wasm', 'sandbox', 'container'])
    expect(auto.isolation).toBe('sandbox')
  })

  it('fails with `no-sandbox`, all faults and the remedies if only WebAssembly works', async () => {
    const auto = autoBackend([fake('wasm', ['javascript']), fake('sandbox', []), fake('container', [])])
    const error: unknown = await auto.run(job('python'), {}).catch((reason: unknown) => reason)
    expect(isXError(error, 'no-sandbox')).toBe(true)
    expect(String(error)).toMatch(/sandbox: no python.*container: no python.*bubblewrap.*trust: 'host'/u)
    expect(String(await auto.fault('python'))).toContain('no python')
  })

  it('names no software for another isolation than the one that was asked for, but the kind that takes any', async () => {
    const error: unknown = await autoBackend([fake('container', [])])
      .run(job('python'), {})
      .catch((reason) => reason)
    expect(String(error)).toMatch(/container: no python\): take `createCodeExecutor\('auto'\)`.*; or start Docker/u)
    expect(String(error)).not.toContain('bubblewrap')
  })

  it('returns the answer of a working sandbox that lacks the language', async () => {
    const auto = autoBackend([fake('sandbox', ['sh'])])
    expect(await auto.fault('powershell')).toBe('no powershell')
    expect((await auto.run(job('powershell'), {})).isolation).toBe('sandbox')
  })
})

describe('on a machine with nothing', () => {
  it.each(['python', 'sh', 'bash'])('%s never runs on the host', async (language) => {
    const executor = createCodeExecutor('container', { socket: '/nonexistent/engine.sock' })
    const mark = mkdtempSync(join(tmpdir(), 'x-mark-'))
    try {
      for (const run of [
        () => executor.executeCodeBlocks([{ language, code: `echo 1 > ${mark}/ran` }]),
        async () => executor.executeCodeBlocksSync([{ language, code: `echo 1 > ${mark}/ran` }]),
      ]) {
        await expect(run()).rejects.toThrow(expect.objectContaining({ code: 'no-sandbox' }))
      }
    } finally {
      await executor.close()
      rmSync(mark, { recursive: true })
    }
  })
})

describe('createCodeExecutor', () => {
  it('runs on the host only if the code is trusted', () => {
    expect(() => createCodeExecutor('local')).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    expect(createCodeExecutor('local', { trust: 'host' }).isolation).toBe('host')
  })

  it.each([
    ['an unknown kind', () => createCodeExecutor('magic' as ExecutorKind)],
    ['a timeout below a second', () => createCodeExecutor('auto', { timeout: 0.5 })],
    ['a timeout that is no number', () => createCodeExecutor('auto', { timeout: Number.NaN })],
    ['an unknown limit', () => createCodeExecutor('auto', { limits: { speed: 1 } as object })],
  ])('refuses %s', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })
})
