import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { functionModel } from '@x/testing'
import { expect, it, onTestFinished } from 'vitest'
import { evaluate, type EvalReport, judge } from '../index.ts'

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

it.each([
  [undefined, 'is missing'],
  [{ provider: {}, model: 'gpt-5-mini' }, 'is the name of a model alone'],
])('refuses the model %j', (model, problem) => {
  const options = { model } as unknown as Parameters<typeof judge>[0]
  expect(() => judge(options)).toThrow(`\`model\` ${problem}; give a config, such as`)
})
