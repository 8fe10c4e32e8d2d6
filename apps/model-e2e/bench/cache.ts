import type { ChatMessage, Model } from '@x/interfaces'
import { createDiskCache, createMemoryCache, llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure, report } from './measure.ts'

/** Hits of a round: enough for a clock of processor time that ticks every 4 ms. */
const HITS_PER_ROUND = 20_000

/** Cache hits, for a short request and for a long conversation of frozen messages, in memory and on disk: processor time. */
export async function benchCache(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'x-bench-'))
  const stores = { memory: createMemoryCache(), disk: createDiskCache({ dir }) }
  const short: ChatMessage[] = [{ role: 'user', content: 'Say hello.' }]
  const long = Array.from({ length: 400 }, (_, i) =>
    Object.freeze<ChatMessage>({ role: i % 2 ? 'assistant' : 'user', content: `message ${i} `.repeat(20) }),
  )
  const answer = {
    id: 'c',
    model: 'gpt-4o-mini',
    created: 1,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }
  const fetch = async (): Promise<Response> => Response.json(answer)
  for (const [name, cache] of Object.entries(stores)) {
    const model = llmConfig({
      providers: [openai],
      cache,
      configList: [{ model: 'gpt-4o-mini', apiKey: 'k', fetch }],
    }).createModel()
    await model.create({ messages: short })
    await model.create({ messages: long })
    const costs = await measure(
      {
        short: async () => {
          for (let i = 0; i < HITS_PER_ROUND; i++) await model.create({ messages: short })
        },
        long: async () => {
          for (let i = 0; i < HITS_PER_ROUND; i++) await model.create({ messages: long })
        },
      },
      { units: HITS_PER_ROUND },
    )
    if (name === 'memory') await benchFresh(model)
    const goals = name === 'memory' ? ['<= 5 µs', '<= 20 µs'] : ['', '']
    report(`${name} hit, short request, µs`, costs.short.cpu, goals[0]!, '')
    report(`${name} hit, 400 messages, µs`, costs.long.cpu, goals[1]!, '')
    await cache.close?.()
  }
  rmSync(dir, { recursive: true })
}

/** Hits of requests whose message objects were not seen before, as of a program that loads its histories. */
async function benchFresh(model: Model): Promise<void> {
  const texts = Array.from({ length: 20 }, (_, i) => `message ${i} `.repeat(15).slice(0, 160))
  const hits = (messages: number) => async (): Promise<void> => {
    for (let i = 0; i < HITS_PER_ROUND; i++) {
      const fresh = texts
        .slice(0, messages)
        .map((content, at): ChatMessage => ({ role: at ? 'user' : 'system', content }))
      await model.create({ messages: fresh })
    }
  }
  const costs = await measure({ two: hits(2), twenty: hits(20) }, { units: HITS_PER_ROUND })
  report('memory hit, 2 fresh messages, µs', costs.two.cpu, '<= 5 µs', '')
  report('memory hit, 20 fresh messages, µs', costs.twenty.cpu, '', '')
}
