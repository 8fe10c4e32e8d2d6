import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHost, defineChat, sqlite } from '@x/host'
import { beam, forest, modelParts, performJob, renderText, search, ThinkNode } from '@x/reasoning'
import { functionModel } from '@x/testing'

// A function stands for a model: it proposes coins, rates how near they come to 20, and answers with the best path.
const llm = functionModel(({ messages }) => {
  const text = messages.at(-1)?.content as string
  const paid = [...text.matchAll(/Step \d+: (\d+)/gu)].reduce((sum, [, coin]) => sum + Number(coin), 0)
  if (text.includes('possible next steps'))
    return ['16', '10', '1'].map((coin, n) => `Option ${n + 1}: ${coin}`).join('\n')
  if (text.startsWith('Rate')) return `Rating: ${Math.max(1, 10 - Math.abs(20 - paid))}`
  return /Step \d+: 10\nStep \d+: 10/u.test(text) ? '10 + 10 = 20' : 'Nothing comes to 20.'
})
const model = llm.createModel()
const file = join(mkdtempSync(join(tmpdir(), 'hosted-')), 'chats.db')

// #region define
// The parts stand on every worker.
const parts = modelParts({ model })

// One call of a search: whichever worker is free performs it, 16 of them at once in each.
const think = defineChat({
  name: 'think',
  version: '1',
  concurrency: 16,
  keeps: 'value',
  run: async ({ input, run }) => await performJob(input, parts, run),
})

// The search itself: one worker has it, and another goes on with it when that one dies.
const solve = defineChat({
  name: 'solve',
  version: '1',
  async run({ input, run, perform }) {
    const { answer, trees, used } = await search(String(input['question']), {
      ...parts,
      method: forest(beam({ maxDepth: 2 }), { size: 3, merge: 'vote' }),
      run,
      perform: (_job, request, { signal }) => perform(think, request, { signal }),
    })
    return { answer, calls: used.calls, tree: trees[0] }
  },
})
// #endregion

const host = createHost({ chats: [solve, think], at: sqlite(file) })
const stop = new AbortController()
const work = host.work({ signal: stop.signal })
await host.submit(solve, { question: 'Pay exactly 20 with two coins of 16, 10 or 1.' }, { id: 'coins' })
const { answer, calls, tree } = (await host.result('coins')) as { answer: string; calls: number; tree: unknown }
console.log(answer, `(${calls} calls)`)
console.log(renderText(ThinkNode.fromDict(tree)))
stop.abort()
await work
await host.close()
