import type { CodeBlock, CodeRunner, Io, RunCodeOptions } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { ConversableAgent } from '../index.ts'

type Outcome = [exitCode: number, logs: string, image: string | null]

/** A runner that notes what it runs and by which function. */
function recordingRunner(outcomeOf: (code: string) => Outcome = () => [0, 'ran', null]) {
  const runs: [name: string, code: string, options: Partial<RunCodeOptions>][] = []
  const noted =
    (name: string) =>
    (code: string, options: RunCodeOptions): Outcome => {
      const its: Partial<RunCodeOptions> & { signal?: unknown; emit?: unknown; run?: unknown } = { ...options }
      delete its.signal
      delete its.emit
      delete its.run
      runs.push([name, code, its])
      return outcomeOf(code)
    }
  const runner: CodeRunner = {
    useDocker: false,
    codeReader: {
      extractCode: (content): CodeBlock[] => [{ language: '', code: content as string }],
      inferLang: (code) => (code.startsWith('echo') ? 'sh' : 'python'),
    },
    runCode: async (code, options) => noted('runCode')(code, options),
    runCodeSync: noted('runCodeSync'),
  }
  return { runner, runs }
}

const io: Io = { send: () => {}, input: () => '' }
const withRunner = (runner: CodeRunner): ConversableAgent =>
  new ConversableAgent({ name: 'runner', humanInputMode: 'NEVER', io, codeExecutionConfig: { runner } })

describe('a code runner', () => {
  it('runs by its blocking function in the blocking face, by the other elsewhere', async () => {
    const { runner, runs } = recordingRunner()
    const agent = withRunner(runner)
    const messages = [{ role: 'user', content: 'echo 1' } as const]
    const reply = 'exitcode: 0 (execution succeeded)\nCode output: \nran'
    expect(agent.generateReplySync({ messages })).toBe(reply)
    expect(await agent.generateReply({ messages })).toBe(reply)
    expect(agent.runCodeSync('1', { timeout: 2 })).toEqual([0, 'ran', null])
    expect(await agent.runCode('1', { timeout: 2 })).toEqual([0, 'ran', null])
    expect(runs).toEqual([
      ['runCodeSync', 'echo 1', { lang: 'sh', filename: undefined }],
      ['runCode', 'echo 1', { lang: 'sh', filename: undefined }],
      ['runCodeSync', '1', { timeout: 2 }],
      ['runCode', '1', { timeout: 2 }],
    ])
  })

  it('is refused in the blocking face when it has no blocking function and gives a promise', () => {
    const { runner } = recordingRunner()
    const { runCodeSync: _, ...asyncOnly } = runner
    expect(() => withRunner(asyncOnly).runCodeSync('1')).toThrow(expect.objectContaining({ code: 'async-in-sync' }))
  })

  it('infers languages, reads file names, concatenates logs and stops at the first failure', () => {
    const { runner, runs } = recordingRunner((code) => [code === 'echo 2' ? 7 : 0, `log of ${code}`, null])
    const agent = withRunner(runner)
    const blocks = [
      { language: '', code: '# filename: a.py \n1' },
      { language: 'shell', code: 'echo 2' },
      { language: 'python', code: 'never' },
    ]
    expect(agent.executeCodeBlocksSync(blocks)).toEqual([7, '\nlog of # filename: a.py \n1\nlog of echo 2'])
    expect(runs.map(([, , options]) => options)).toEqual([
      { lang: 'python', filename: 'a.py' },
      { lang: 'shell', filename: undefined },
    ])
    expect(agent.executeCodeBlocksSync([{ language: 'cobol', code: '' }])).toEqual([1, '\nunknown language cobol'])
  })

  it('uses the image that a run gave back from then on', () => {
    const { runner, runs } = recordingRunner((code) => [0, '', code === 'first' ? 'python:3.13' : null])
    const agent = withRunner(runner)
    agent.executeCodeBlocksSync(['first', 'second'].map((code) => ({ language: 'python', code })))
    expect(runs.map(([, , { useDocker }]) => useDocker)).toEqual([undefined, 'python:3.13'])
    expect(agent.useDocker).toBe('python:3.13')
  })
})
