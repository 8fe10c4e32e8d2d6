import type { CodeExecutor, Run } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import type { EvalTask, GivenAnswer, Score, World } from '../task.ts'
import { solveTools } from './solver.fake.ts'
import { makeTasks, TASK_SETS } from './task-sets.ts'

const NO_CONTEXT = { run: null as unknown as Run, ask: () => Promise.reject(new Error('no model')) }

async function scoreOf(
  task: EvalTask,
  text: string,
  state: GivenAnswer['state'] = null,
): Promise<boolean | number | null> {
  const score: Score = await task.scorer!({ task, text, state }, NO_CONTEXT)
  return typeof score === 'object' && score !== null ? score.score : score
}

const withoutScorers = (tasks: readonly EvalTask[]): unknown =>
  tasks.map(({ id, input, kind, expected, world }) => [id, input, kind, expected, world?.().state()])

describe('the sets of tasks', () => {
  it('are the same for a seed, and others for another one', () => {
    const [one, again, other] = [1, 1, 2].map((seed) => makeTasks('all', { seed }))
    expect(one).toHaveLength(100)
    expect(new Set(one!.map(({ kind }) => kind))).toEqual(new Set(TASK_SETS))
    expect(withoutScorers(again!)).toEqual(withoutScorers(one!))
    const inputs = new Set(one!.map(({ input }) => input))
    expect(inputs.size).toBeGreaterThan(95)
    expect(other!.filter(({ input }) => inputs.has(input)).length).toBeLessThan(5)
  })

  it('begin with the same tasks whatever their number', () => {
    expect(withoutScorers(makeTasks('logic', { count: 3 }))).toEqual(withoutScorers(makeTasks('logic').slice(0, 3)))
  })

  it('do not tell the answer', () => {
    for (const { input, expected, kind } of makeTasks('all', { seed: 5 }))
      if (kind === 'arithmetic') expect(input).not.toContain(String(expected).padStart(3, ' '))
  })

  it('refuse an unknown name', () => {
    expect(() => makeTasks('logik' as 'logic')).toThrow('did you mean `logic`?')
  })
})

describe('Game of 24', () => {
  const task = (...expected: number[]): EvalTask => ({ ...makeTasks('game-of-24', { count: 1 })[0]!, expected })

  it.each([
    'Answer: (8 - 4) * (7 - 1)',
    'So\nAnswer: (8−4)×(7−1) = 24',
    'Answer: `(7 - 1) * (8 - 4)`',
    'Answer: (8 - 4) · (7 − 1)',
    '**Answer**: \\((8 - 4) \\times \\left(7 - 1\\right) = 24\\)',
    'Answer: [(8 - 4)] * [7 - 1]',
    'Answer: (8 – 4) x (7 – 1)',
  ])('takes %j', async (text) => {
    expect(await scoreOf(task(4, 7, 8, 1), text)).toBe(true)
  })

  it('computes fractions exactly', async () => {
    expect(await scoreOf(task(8, 8, 3, 3), 'Answer: 8 / (3 - 8 / 3)')).toBe(true)
    expect(await scoreOf(task(1, 3, 4, 6), 'Answer: 6 / (1 - 3 / 4)')).toBe(true)
  })

  it.each([
    'Answer: 24',
    'Answer: 4 + 7 + 8 + 1 + 4',
    'Answer: 4 7 8 1',
    'Answer: (8 - 4) * (7 - 1) = 24 = 25',
    'Answer: (8 - 4) * (7 - 1) = 25',
    'Answer: 8 - 4 * 7 - 1',
    'Answer: (8 - 4) * (7 - 1',
    'Answer: (8 - 4) * (7 - 1))',
    'Answer: 47 - 8 * 1',
    'Answer: 1 ** 4 + 7 + 8',
    'Answer: process.exit(4781)',
    'Answer: 8 / (4 - 4) + 7 + 1',
    'Answer: 4 / (7 - 8 + 1)',
    `Answer: ${'('.repeat(100_000)}`,
    `Answer: ${'1+'.repeat(50_000)}`,
    '',
  ])('refuses %j', async (text) => {
    expect(await scoreOf(task(4, 7, 8, 1), text)).toBe(false)
  })
})

it.each(['arithmetic', 'logic'] as const)('%s takes its answer and no other', async (set) => {
  for (const task of makeTasks(set, { count: 60, seed: 3 })) {
    const right = String(task.expected)
    expect([task.id, await scoreOf(task, `Let me see.\n**Answer:** ${right}.`)]).toEqual([task.id, true])
    expect([task.id, await scoreOf(task, `Answer: ${right}1`)]).toEqual([task.id, false])
  }
})

describe('tools', () => {
  const tasks = makeTasks('tools', { count: 60, seed: 4 })
  const worldOf = (task: EvalTask): World => task.world!()

  it('reach the state that the words ask for, which is not the first one', async () => {
    for (const task of tasks) {
      const world = worldOf(task)
      expect(await scoreOf(task, 'Answer: done', world.state())).toBe(false)
      solveTools({ input: task.input, tools: world.tools })
      expect([task.id, await scoreOf(task, 'whatever', world.state())]).toEqual([task.id, true])
      expect(worldOf(task).state()).not.toEqual(world.state())
    }
  })

  it('refuse arguments that do not fit, and change nothing', () => {
    const { tools, state } = worldOf(tasks[0]!)
    const before = state()
    const hostile = [
      null,
      [],
      'x',
      {},
      { item: '__proto__', from: 'constructor', to: 'north', count: 1 },
      { item: 'bolts', count: -5 },
    ]
    for (const each of tools)
      for (const args of hostile)
        expect(String((each.execute as (args: unknown) => unknown)(args))).toMatch(/^refused/u)
    expect(state()).toEqual(before)
  })
})

describe('code', () => {
  it('has no verdict without an executor', async () => {
    await expect(scoreOf(makeTasks('code', { count: 1 })[0]!, 'x')).rejects.toThrow('give an `executor`')
  })

  it('gives the sandbox inputs alone', async () => {
    const ran: string[] = []
    const executor = {
      codeReader: { extractCode: (text: string) => [{ language: 'js', code: text }], inferLang: () => 'js' },
      isolation: 'wasm',
      executeCodeBlocks: ([block]: readonly { readonly code: string }[]) => {
        ran.push(block!.code)
        return { exitCode: 0, output: '' }
      },
    } as unknown as CodeExecutor
    const [task] = makeTasks('code', { count: 1, executor })
    expect(await scoreOf(task!, 'function solve(list) { return 1 }')).toBe(false)
    expect(ran[0]).toContain('function solve(list) { return 1 }')
    for (const [input, output] of task!.expected as readonly (readonly [unknown[], unknown])[]) {
      expect(ran[0]).toContain(JSON.stringify(input))
      if (
        typeof output === 'object' &&
        JSON.stringify(output) !== JSON.stringify(input) &&
        JSON.stringify(output).length > 4
      )
        expect(ran[0]).not.toContain(JSON.stringify(output))
    }
  })
})
