import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Model, Run } from '@x/interfaces'
import { scopeOf } from '@x/kernel/run'
import { functionModel } from '@x/testing'
import { expect, it, onTestFinished } from 'vitest'
import { evaluate, type EvalReport, judge, type Scorer } from '../index.ts'

it('that gave no verdict is asked again by the next evaluation, and only until it gives one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'x-eval-judge-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const replies = ['', 'Hm.', 'Hm.', '', '', '{"verdict":"right","reason":"so"}']
  const model = functionModel(() => replies.shift()!)
  const evaluated = async (): Promise<EvalReport> =>
    await evaluate({
      tasks: [{ id: 'q', input: 'Is it?' }],
      contestants: [{ name: 'says', answer: () => 'good' }],
      scorer: judge({ model }),
      file: join(folder, 'answers.jsonl'),
    })
  for (const calls of [2, 4]) {
    const { cells, spentNow, spent } = await evaluated()
    expect(cells).toMatchObject([{ status: 'unscored', reason: 'the judge gave no verdict' }])
    expect([spentNow.calls, spent.calls]).toEqual([2, calls])
  }
  for (const calls of [2, 0]) {
    const { cells, spentNow, spent } = await evaluated()
    expect(cells).toMatchObject([{ score: 1, reason: 'so' }])
    expect([spentNow.calls, spent.calls]).toEqual([calls, 6])
  }
})

it('is asked again about labelled answers on which it gave no verdict, and about no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'x-eval-judge-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [right, wrong] = ['right', 'wrong'].map((verdict) => JSON.stringify({ verdict }))
  const replies = [right, 'Hm.', '', right, 'Hm.', '', wrong]
  const scorer = judge({
    model: functionModel(() => replies.shift()!),
    labelled: ['good', 'bad'].map((answer) => ({ input: 'Is it?', answer, label: answer === 'good' })),
  })
  for (const [unjudged, left] of [
    [1, 3],
    [1, 1],
    [0, 0],
    [0, 0],
  ] as const) {
    const { judges } = await evaluate({
      tasks: [{ id: 'q', input: 'Is it?' }],
      contestants: [{ name: 'says', answer: () => 'good' }],
      ...{ scorer, file: join(folder, 'answers.jsonl'), concurrency: 1 },
    })
    expect(judges[0]).toMatchObject({ unjudged, agreement: { value: 1 } })
    expect(replies).toHaveLength(left)
  }
})

it('that never ends with a labelled answer keeps its other verdicts', async () => {
  const labelled = ['good', 'endless', 'bad'].map((answer) => ({ input: 'Is it?', answer, label: answer === 'good' }))
  const judged: Scorer = ({ text }) => (text === 'endless' ? new Promise(() => {}) : text === 'good')
  const { judges, cells } = await evaluate({
    tasks: [{ id: 'q', input: 'Is it?' }],
    contestants: [{ name: 'says', answer: () => 'good' }],
    ...{ scorer: Object.assign(judged, { labelled }), timeout: 0.05, concurrency: 1 },
  })
  const problem = 'there was no answer within 0.05 seconds'
  expect(judges).toMatchObject([{ unjudged: 1, agreement: { value: 1, n: 2 }, problem }])
  expect(cells).toMatchObject([{ score: 1 }])
})

it("of one's own that asks models pays nothing for an answer that was judged", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'x-eval-judge-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const paid = { cost: 0.5, tokens: 7, calls: 1 }
  let asked = 0
  /** Asks as a model of `@x/model` does, with what its run keeps. */
  async function ask(run: Run, key: string): Promise<void> {
    const { cache, budget } = scopeOf(run)!
    if (await cache?.get(key)) return
    asked++
    const held = await budget!.reserve(paid)
    held.settle(paid)
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
    await cache?.set(key, { cost: 0.5, answer: { model: 'm', choices: [], usage } as never })
  }
  const model = functionModel(() => '').createModel()
  const create: Model['create'] = async (request, options) => {
    await ask(options!.run!, 'asked')
    return { ...(await model.create(request)), cost: 0.5, usage: { total_tokens: 7 } as never }
  }
  const scorer: Scorer = async ({ task }, context) => {
    await ask(context.run, task.id)
    return (await context.ask({ ...model, create }, { messages: [] })) === ''
  }
  const evaluated = async (): Promise<EvalReport> =>
    await evaluate({
      tasks: ['q', 'p'].map((id) => ({ id, input: id })),
      contestants: [{ name: 'says', answer: () => 'good' }],
      ...{ scorer, file: join(folder, 'answers.jsonl') },
    })
  for (const calls of [4, 0]) {
    const { rows, spentNow, spent } = await evaluated()
    expect(rows[0]!.score).toMatchObject({ value: 1 })
    expect([asked, spentNow.calls, spent]).toEqual([4, calls, { cost: 2, tokens: 28, calls: 4 }])
  }
})

it.each([
  [undefined, 'is missing'],
  [{ provider: {}, model: 'gpt-5-mini' }, 'is the name of a model alone'],
])('refuses the model %j', (model, problem) => {
  const options = { model } as unknown as Parameters<typeof judge>[0]
  expect(() => judge(options)).toThrow(`\`model\` ${problem}; give a config, such as`)
})
