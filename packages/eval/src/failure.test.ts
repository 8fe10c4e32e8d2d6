import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent } from '@x/agent'
import { functionModel } from '@x/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Contestant, evaluate, type EvalTask } from './index.ts'

/** Asks a contestant whose answer is the result of a search that has lost a call, and says what comes of it. */
async function statusOf(status: string, code: string, errorKind?: string): Promise<unknown> {
  const failures = [
    { code: 'invalid-result', message: 'it cannot be read' },
    { code, message: 'it is down', ...(errorKind && { errorKind }) },
  ]
  const answer = (): object => ({ answer: 'half', status, failures })
  const { cells } = await evaluate({
    tasks: [{ id: 't', input: 'q', expected: 'x' }],
    contestants: [{ name: 's', answer }],
  })
  return [cells[0]!.status, cells[0]!.reason]
}

describe('the result of a search', () => {
  it.each(['model-failed', 'timeout'])('that lost a call (%s) does not count as an answer', async (code) => {
    expect(await statusOf('accepted', code)).toEqual(['missing', 'it is down'])
    expect(await statusOf('exhausted', code)).toEqual(['missing', 'it is down'])
    expect(await statusOf('accepted', code, 'overloaded')).toEqual(['missing', 'it is down'])
  })

  it('is an answer if a verifier has accepted it, or if no call would be answered the next time', async () => {
    const wrong = ['scored', '`half` is not `x`']
    expect(await statusOf('verified', 'model-failed')).toEqual(wrong)
    expect(await statusOf('accepted', 'no-response')).toEqual(wrong)
    expect(await statusOf('accepted', 'model-failed', 'context-overflow')).toEqual(wrong)
  })
})

it.each([
  [Object.assign(new Error('slow down'), { status: 429 }), 'missing'],
  [new TypeError('fetch failed', { cause: Object.assign(new Error(''), { code: 'ECONNRESET' }) }), 'missing'],
  [new Error('it went wrong', { cause: Object.assign(new Error(''), { code: 'ENOENT', status: 404 }) }), 'scored'],
  [Object.assign(new Error('a fault of its own'), { status: 500 }), 'scored'],
])('the error %s of another client leaves the answer %s', async (error, status) => {
  const answer = async (): Promise<string> => await Promise.reject(error)
  const { cells } = await evaluate({
    tasks: [{ id: 't', input: 'q', expected: 'x' }],
    contestants: [{ name: 'c', answer }],
  })
  expect(cells).toMatchObject([{ status }])
})

describe('what a program gives wrongly', () => {
  const task = { id: 't', input: 'q', expected: 'q' }
  const echo: Contestant = { name: 'echo', answer: ({ input }) => input }
  const inWorld = (world: unknown): EvalTask => ({ ...task, world: world as EvalTask['world'] })

  it('is told by the name of its task or contestant', async () => {
    const worlds = [
      [async () => await Promise.resolve(), 'it has to return `{ tools, state }`, and no promise'],
      [() => ({}), 'it has to return `{ tools, state }`'],
      [() => ({ tools: [], state: () => 1n }), 'BigInt'],
      [
        () => ({
          tools: [],
          state: () => {
            throw new Error('no state')
          },
        }),
        'no state',
      ],
    ] as const
    for (const [world, problem] of worlds) {
      const told = evaluate({ tasks: [inWorld(world)], contestants: [echo] })
      await expect(told).rejects.toThrow('the `world` of the task `t` cannot be made: ')
      await expect(told).rejects.toThrow(problem)
    }
    const settings: Record<string, unknown> = {}
    settings['self'] = settings
    for (const each of [settings, 1n])
      await expect(
        evaluate({ tasks: [task], contestants: [{ ...echo, settings: each as unknown as string }] }),
      ).rejects.toThrow('the `settings` of the contestant `echo` are not plain JSON')
  })

  it('is a warning if a world would never be found again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'x-eval-failure-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    let made = 0
    const changing = inWorld(() => ({ tools: [], state: constant(++made) }))
    const same = { ...inWorld(() => ({ tools: [], state: () => ({ at: new Date(0) }) })), id: 'same' }
    const options = { tasks: [changing, same], contestants: [echo] }
    expect((await evaluate(options)).warnings).toEqual([])
    expect((await evaluate({ ...options, file: join(folder, 'answers.jsonl') })).warnings).toEqual([
      'the `world` of the task `t` begins differently each time: its answers are not found in the file again',
    ])
  })

  it('is a warning if an asynchronous listener fails', async () => {
    const onCell = (async () => {
      await Promise.reject(new Error('EPIPE'))
    }) as () => void
    const { isComplete, warnings } = await evaluate({
      tasks: [task, { ...task, id: 'u' }],
      contestants: [echo],
      onCell,
    })
    expect([isComplete, warnings]).toEqual([true, ['`onCell` failed: EPIPE']])
  })
})

it.each([
  [false, ['`clerk` asks models outside of its `run`: no budget holds them']],
  [true, []],
])('warns of models that a contestant asks without its run (it is passed on: %s)', async (isPassedOn, wanted) => {
  const agent = new AssistantAgent({ name: 'clerk', llmConfig: functionModel(() => 'x', { cost: 1 }) })
  const answer: Contestant['answer'] = ({ input }, { run }) => agent.run(input, isPassedOn ? { run } : {})
  const { warnings } = await evaluate({
    tasks: ['a', 'b'].map((id) => ({ id, input: 'q', expected: 'x' })),
    contestants: [{ name: 'clerk', answer }],
  })
  expect(warnings).toEqual(wanted.map((each) => expect.stringContaining(each)))
})

const constant =
  <T>(value: T) =>
  (): T =>
    value
