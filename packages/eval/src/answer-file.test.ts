import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonValue } from '@x/interfaces'
import { expect, it, onTestFinished } from 'vitest'
import { AnswerFile, type KeptAnswer } from './answer-file.ts'
import { scopeOf } from '@x/kernel/run'
import { type Contestant, evaluate } from './index.ts'
import { digestOf } from './platform.ts'

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'x-eval-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'answers.jsonl')
}

const answer = (): string => '0'

/** Asks one question; returns whether the file has had the answer. */
async function hadAnswer(file: string, settings: JsonValue): Promise<boolean> {
  const tasks = [{ id: 'zero', input: 'Zero?', expected: 0 }]
  const { cells } = await evaluate({ tasks, contestants: [{ name: 'c', settings, answer }], file })
  return cells[0]!.isReplayed
}

it('a file has the answers to settings whose keys have another order', async () => {
  const file = newFile()
  expect(await hadAnswer(file, { b: 1, a: [{ d: 2, c: 3 }] })).toBe(false)
  expect(await hadAnswer(file, { a: [{ c: 3, d: 2 }], b: 1 })).toBe(true)
  expect(await hadAnswer(file, { a: [{ c: 3, d: 4 }], b: 1 })).toBe(false)
})

it('a file has its last answer also without the end of the line, which an editor may have taken', async () => {
  const file = newFile()
  await hadAnswer(file, null)
  truncateSync(file, statSync(file).size - 1)
  expect(await hadAnswer(file, null)).toBe(true)
  expect(await hadAnswer(file, null)).toBe(true)
})

it('a file of an earlier release has the answers to settings with their keys in the same order', async () => {
  const [file, earlier] = [newFile(), newFile()]
  await hadAnswer(file, { b: 1, a: 2 })
  const { answer: kept } = JSON.parse(readFileSync(file, 'utf8').split('\n')[1]!) as { readonly answer: KeptAnswer }
  const asked = digestOf(JSON.stringify(['zero', 'Zero?', null, null, [], null]))
  const made = new AnswerFile(earlier)
  made.keep({ ...kept, cell: digestOf(JSON.stringify([asked, 'c', { b: 1, a: 2 }, String(answer), 0])) })
  made.close()
  expect(await hadAnswer(earlier, { b: 1, a: 2 })).toBe(true)
})

it('a file has the answers of a program to whose file Vitest has numbered other imports', async () => {
  const file = newFile()
  const hadWith = async (text: string): Promise<boolean> => {
    const contestant = { name: 'c', answer: Object.assign(() => '0', { toString: () => text }) }
    const { cells } = await evaluate({
      tasks: [{ id: 'zero', input: '?', expected: 0 }],
      contestants: [contestant],
      file,
    })
    return cells[0]!.isReplayed
  }
  expect(await hadWith('() => (0,__vite_ssr_import_1__.ask)()')).toBe(false)
  expect(await hadWith('() => (0,__vite_ssr_import_12__.ask)()')).toBe(true)
  expect(await hadWith('() => (0,__vite_ssr_import_1__.tell)()')).toBe(false)
})

it('an answer that did not come in time is asked again when it has more, and what it has cost is counted', async () => {
  const file = newFile()
  let asked = 0
  const slow: Contestant = {
    name: 'slow',
    answer: async (_, { run }) => {
      const held = await scopeOf(run)!.budget!.reserve({ cost: 1, tokens: 1, calls: 1 })
      held.settle({ cost: 1, tokens: 1, calls: 1 })
      return ++asked < 3 ? await new Promise<string>(() => {}) : '0'
    },
  }
  for (const [timeout, score, calls] of [
    [0.01, 0, 1],
    [0.01, 0, 1],
    [0.02, 0, 2],
    [5, 1, 3],
    [9, 1, 3],
  ] as const) {
    const tasks = [{ id: 'zero', input: '?', expected: 0 }]
    const { cells, spent } = await evaluate({ tasks, contestants: [slow], file, timeout })
    expect([cells[0]!.score, asked, spent.calls]).toEqual([score, calls, calls])
  }
})

it('a schema of an answer that is not plain JSON is refused', async () => {
  const tasks = [{ id: 'zero', input: 'Zero?', answerSchema: { const: 1n as never } }]
  const told = evaluate({ tasks, contestants: [{ name: 'c', answer }] })
  await expect(told).rejects.toMatchObject({ code: 'invalid-argument' })
})

it('a world whose state is a promise is refused', async () => {
  const world = (): never => ({ tools: [], state: () => Promise.resolve(1) }) as never
  const told = evaluate({ tasks: [{ id: 'w', input: '?', expected: 1, world }], contestants: [{ name: 'c', answer }] })
  await expect(told).rejects.toThrow('its `state` has to return plain JSON, and no promise')
})
