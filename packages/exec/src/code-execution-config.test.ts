import { afterEach, describe, expect, it } from 'vitest'
import { codeExecutionConfig, type LegacyCodeOptions, type LegacyCodeRunner } from './code-execution-config.ts'

const runners: LegacyCodeRunner[] = []
afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.close()
})
const runnerOf = (options: LegacyCodeOptions): LegacyCodeRunner => {
  const { runner } = codeExecutionConfig({ hostEnv: { PATH: process.env['PATH'] }, ...options })
  runners.push(runner)
  return runner
}
const onHost = { useDocker: false, trust: 'host' } as const

describe('the legacy keys', () => {
  it.each([
    ['prints', 'echo out; echo err >&2', {}, [0, 'out\n', null]],
    ['fails', 'echo out; echo err >&2; exit 3', {}, [3, 'err\n', null]],
    ['takes too long', 'while :; do :; done', { timeout: 1 }, [1, 'Timeout', null]],
  ] as const)('a shell that %s', async (_, code, options, outcome) => {
    const runner = runnerOf(onHost)
    expect(await runner.runCode(code, { lang: 'sh', ...options })).toEqual(outcome)
    expect(runner.runCodeSync(code, { lang: 'sh', ...options })).toEqual(outcome)
  })

  it('refuses an unknown language, and a name outside the work directory', async () => {
    const runner = runnerOf(onHost)
    expect(await runner.runCode('x', { lang: 'cobol' })).toEqual([1, 'unknown language cobol', null])
    expect(await runner.runCode('print(1)', { filename: '../x.py' })).toEqual([
      1,
      'Filename is not in the workspace',
      null,
    ])
  })

  it('reads code as the older reader of the Python library', () => {
    expect(runnerOf({}).codeReader.extractCode('no code')).toEqual([{ language: 'unknown', code: 'no code' }])
  })

  it.each([
    [{}, true],
    [{ hostEnv: { AUTOGEN_USE_DOCKER: 'FALSE' } }, false],
    [{ hostEnv: { AUTOGEN_USE_DOCKER: 'none' } }, true],
    [{ hostEnv: { AUTOGEN_USE_DOCKER: '0' }, useDocker: 'python:3' }, 'python:3'],
  ] as const)('%j uses docker: %j', (options, useDocker) => {
    expect(runnerOf(options).useDocker).toBe(useDocker)
  })

  it('refuses an unclear value of the environment variable', () => {
    expect(() => runnerOf({ hostEnv: { AUTOGEN_USE_DOCKER: 'maybe' } })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })

  it('never uses the host if a container is requested', async () => {
    const runner = runnerOf({ useDocker: true, socket: '/nonexistent/engine.sock' })
    await expect(runner.runCode('echo 1', { lang: 'sh' })).rejects.toThrow(
      expect.objectContaining({ code: 'no-sandbox' }),
    )
  })
})
