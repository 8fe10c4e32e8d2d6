import { createPostgresCache, createRedisCache } from '@x/host-servers'
import type { CacheStore, ModelClient } from '@x/interfaces'
import { createDiskCache, ModelWrapper } from '@x/model'
import { appendFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/**
 * A process that asks questions at once on a cache that others use too, `<place> <log> <milliseconds> <question>…`. Every
 * question that reaches the model is a line of the log. It writes how many answers were hits, and what it was warned of.
 */
const [place = '', log = '', ms = '', ...questions] = process.argv.slice(2)
const open = (): CacheStore => {
  const shared = { url: place, namespace: basename(log) }
  if (place.startsWith('redis:')) return createRedisCache(shared)
  return place.startsWith('postgres:')
    ? createPostgresCache(shared)
    : createDiskCache({ dir: join(place, basename(log)) })
}
const cache = open()
const warnings: string[] = []
const client: ModelClient = {
  async create({ model: name = '', messages }) {
    const content = messages.at(-1)!.content as string
    appendFileSync(log, `${content}\n`)
    await new Promise((resolve) => setTimeout(resolve, Number(ms)))
    const message = { role: 'assistant' as const, content: `answer to ${content}` }
    return { id: 'a', model: name, created: 0, choices: [{ index: 0, message, finish_reason: 'stop' }] }
  },
  messageRetrieval: ({ choices }) => choices.map(({ message }) => message),
  getUsage: ({ model: name }) => ({ model: name, promptTokens: 1, completionTokens: 1, totalTokens: 2, cost: 1 }),
  cost: () => 1,
}
const model = new ModelWrapper({
  providers: [{ apiTypes: ['own'], specVersion: 1, createClient: () => client }],
  configList: [{ model: 'm', apiType: 'own' }],
  cache,
  // A server of a busy machine is not given up for its slowness: what is tested is that nobody asks twice.
  cacheTimeout: 30,
  io: { send: (event) => void (event.type === 'warning' && warnings.push(event.text)), input: () => '' },
})
const answers = await Promise.all(questions.map((content) => model.create({ messages: [{ role: 'user', content }] })))
for (const [index, { choices }] of answers.entries()) {
  if (choices[0]!.message.content !== `answer to ${questions[index]}`) throw new Error('the answer of another question')
}
// A write may be under way.
await new Promise(setImmediate)
await cache.close?.()
process.stdout.write(JSON.stringify({ hits: answers.filter(({ cached }) => cached).length, warnings }))
