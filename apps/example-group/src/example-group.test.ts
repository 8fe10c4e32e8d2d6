import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChatSession } from '@x/session'
import type { ChatMessage } from '@x/interfaces'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createExampleGroup, SILENT_MESSAGE, type OrderRequest } from './index.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'group-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const speakers = (messages: readonly ChatMessage[]): string[] => messages.map(({ name = '' }) => name)

it('asks a person for turns and approvals, across processes', async () => {
  const orders: OrderRequest[] = []
  const open = (typed: string[]): ChatSession =>
    new ChatSession({
      folder,
      agents: () =>
        createExampleGroup({
          pace: 0,
          io: { send: () => {}, input: () => typed.shift()! },
          order: (request) => `ordered ${orders.push(request)}`,
        }),
    })
  const first = open(['No fish.'])
  expect(await first.say('A dinner for four, please.').result).toMatchObject({ terminationReason: 'suspended' })
  const [waiting] = first.pending
  expect(waiting).toMatchObject({ agent: 'buyer', action: { name: 'order_groceries', arguments: { shop: 'market' } } })
  first[Symbol.dispose]()

  const second = open([])
  await second.decide(waiting!.id, { allow: true })
  expect(await second.resume().result).toMatchObject({ terminationReason: 'termination-message' })
  const talk = ['user', 'planner', 'user', 'cook', 'critic', 'buyer', 'buyer', 'buyer', 'buyer', 'buyer', 'planner']
  expect(speakers(second.messages)).toEqual(talk)
  expect(second.messages[3]?.content).toContain('“No fish.”')
  expect(second.usage.models['simulated']?.promptTokens).toBeGreaterThan(100)
  second[Symbol.dispose]()

  const third = open([''])
  await third.say('And for five?').result
  await third.decide(third.pending[0]!.id, { allow: false, reason: 'too dear' })
  await third.resume().result
  expect(speakers(third.messages)).toEqual([...talk, ...talk])
  expect(third.messages[13]?.content).toBe(SILENT_MESSAGE)
  expect(third.messages[20]?.content).toContain('too dear')
  expect(orders).toHaveLength(1)
  const { assistant, members = [] } = third.agents
  for (const member of members) expect(member.chatMessages.get(assistant)).toHaveLength(2 * talk.length)
})
