import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent } from '@x/agent'
import { createHost, defineChat, sqlite } from '@x/host'
import { llmConfig } from '@x/model'
import { scriptedProvider } from '@x/testing'

// A provider that answers from a script, and no key.
const provider = scriptedProvider(() => 'It is on its way.')
const file = join(mkdtempSync(join(tmpdir(), 'limits-')), 'chats.db')

// #region chat
const support = defineChat({
  name: 'support',
  version: '1',
  input: {
    type: 'object',
    properties: { team: { type: 'string' }, question: { type: 'string' } },
    required: ['team', 'question'],
  },
  async run({ input, run }) {
    // The same name is the same budget, in every worker.
    const budget = host.budget(`team ${String(input['team'])}`, { cost: 50, calls: 3, per: 'day' })
    const agent = new AssistantAgent({ name: 'support', llmConfig: models })
    const { text, terminationReason } = await agent.run(String(input['question']), { budget, run })
    return terminationReason === 'budget' ? 'The team has used up its day.' : text
  },
})

const host = createHost({ chats: [support], at: sqlite(file) })

// All workers together keep these limits, for each API key.
const limiter = host.limiter({
  'gpt-5': { requests: 500, tokens: 2_000_000, inFlight: 100 },
  '*': { requests: 60 },
})
const price = [0.00125, 0.01] as const
const models = llmConfig({
  providers: [provider],
  apiType: 'scripted',
  model: 'gpt-5',
  price,
  limiter,
  cacheSeed: null,
})
// #endregion

const stop = new AbortController()
const work = host.work({ concurrency: 10, signal: stop.signal })
for (const n of [1, 2, 3, 4]) {
  await host.submit(support, { team: 'a', question: 'Where is my order?' }, { id: `question-${n}` })
  console.log(await host.result(`question-${n}`))
}
stop.abort()
await work

// #region left
const { left, until } = await host.budget('team a', { cost: 50, calls: 3, per: 'day' }).state()
console.log(`left: ${left.calls} calls, $${left.cost}, until ${until && new Date(until).toISOString()}`)
for (const { model, requests, tokens, inFlight, waiting } of (await limiter.state?.()) ?? []) {
  console.log(`${model}: ${requests} requests, ${tokens} tokens, ${inFlight} under way, ${waiting} wait`)
}
// #endregion
await host.close()
