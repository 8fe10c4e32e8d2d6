import type { ChatResult, HostedChat } from '@x/interfaces'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparable, findFaults, foldedResults, logOf } from './event-laws.fake.ts'
import { createHost, sqlite, type Host } from './index.ts'
import { expectedOf, messagesOf, randomChat, samplePrograms, type Part } from './random-program.fake.ts'

const SEED = Number(process.env['SEED'] ?? 31)

/** Gives a chat what it waits for, one thing at a time, until it has ended. `between` is called whenever it is asked again. */
async function answerAll(host: Host, id: string, parts: readonly Part[], between: () => Promise<void>): Promise<void> {
  let sent = 0
  for (;;) {
    const { outcome, state } = (await host.get(id)) as HostedChat
    if (outcome) return
    await between()
    if (state !== 'suspended') continue
    const open = []
    for await (const { chat, pending } of host.pending()) if (chat === id) open.push(pending.id)
    // A message wakes a chat that waits for a decision, too.
    if (sent < messagesOf(parts)) await host.send(id, `${sent++}`)
    else if (open[0] !== undefined) await host.decide(id, open[0], { allow: true }, { by: 'ann' })
  }
}

const nextTurn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

describe('the log of a random program', () => {
  const programs = samplePrograms(30, SEED)

  it.each(programs.map((parts, n) => [n, parts] as const))('that waits, program %i', async (n, parts) => {
    const ended: ChatResult[] = []
    const chat = randomChat(async () => {}, ended)
    const host = createHost({ chats: [chat], at: sqlite(':memory:') })
    const id = `chat-${n}`
    await host.submit(chat, { parts }, { id })
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal })
    await answerAll(host, id, parts, nextTurn)
    expect(await host.result(id)).toEqual(expectedOf(parts))
    const events = await logOf(host, id)
    expect(findFaults(events, 'suspended')).toEqual([])
    expect(foldedResults(events)).toEqual(comparable(ended))
    stop.abort()
    await work
    await host.close()
  })

  it.each(programs.map((parts, n) => [n, parts] as const))('whose workers end, program %i', async (n, parts) => {
    const random = fc.sample(fc.integer({ min: 0, max: 12 }), { numRuns: 1000, seed: SEED + n }).values()
    const ended: ChatResult[] = []
    const chat = randomChat(nextTurn, ended)
    const host = createHost({ chats: [chat], at: sqlite(':memory:') })
    const id = `chat-${n}`
    await host.submit(chat, { parts }, { id })
    let stop = new AbortController()
    let work = host.work({ signal: stop.signal })
    await answerAll(host, id, parts, async () => {
      for (let turns = random.next().value!; turns > 0; turns--) await nextTurn()
      stop.abort()
      await work
      stop = new AbortController()
      work = host.work({ signal: stop.signal })
      for (let turns = random.next().value! + 3; turns > 0; turns--) await nextTurn()
    })
    expect(await host.result(id)).toEqual(expectedOf(parts))
    const events = await logOf(host, id)
    expect(findFaults(events, 'released')).toEqual([])
    expect(foldedResults(events)).toEqual(comparable(ended))
    stop.abort()
    await work
    await host.close()
  })
})
