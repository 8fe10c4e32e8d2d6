import type { ChatResult, EventBody, XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ConversableAgent, customEvents, tool } from '../index.ts'

const own = customEvents({
  orderPlaced: z.object({
    id: z.string(),
    items: z.array(z.object({ price: z.number() })),
    gift: z.boolean().default(false),
  }),
  weighed: { type: 'object', properties: { grams: { type: 'number' } }, required: ['grams'] },
  noted: null,
})

const DONE = { runId: 'r', seq: 0, time: 1, chatId: '1', agentPath: null, parentId: null, agent: null }

const sent = (body: EventBody): XEvent => ({ ...DONE, ...body })

describe('an event of the program', () => {
  it('has the data as its schema gives them', () => {
    const order = own.event('orderPlaced', { id: 'o1', items: [] })
    expect(order).toEqual({ type: 'custom', name: 'orderPlaced', data: { id: 'o1', items: [], gift: false } })
    expect(own.event('weighed', { grams: 3 }).data).toEqual({ grams: 3 })
    expect(own.event('noted', ['anything']).data).toEqual(['anything'])
  })

  it('is refused with its name and the path of what does not fit', () => {
    const data = { id: 'o1', items: [{ price: 1 }, { price: 'much' }] } as never
    expect(() => own.event('orderPlaced', data)).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringMatching(/cannot make the event `orderPlaced`: its data do not fit: items\.1\.price: /u),
        details: { name: 'orderPlaced', issues: [expect.objectContaining({ path: ['items', 1, 'price'] })] },
      }),
    )
    expect(() => own.event('weighed', { grams: 'three' })).toThrow(/`weighed`: its data do not fit: grams: /u)
  })

  it('is refused if it is not declared', () => {
    expect(() => own.event('orderPlced' as 'orderPlaced', null as never)).toThrow(/did you mean `orderPlaced`\?$/u)
    expect(() => own.event('x' as 'noted', null)).toThrow(/declared are `orderPlaced`, `weighed`, `noted`$/u)
  })

  it('has a schema that checks at once', () => {
    const later = customEvents({ checked: z.string().refine(async (text) => await Promise.resolve(text !== '')) })
    expect(() => later.event('checked', 'a')).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('`checked`') }),
    )
    const standard = { version: 1, vendor: 'own', validate: async () => await Promise.resolve({ value: 1 }) } as const
    expect(() => customEvents({ slow: { '~standard': standard } }).event('slow', {})).toThrow(/checks at once/u)
    expect(() => customEvents({ wrong: 'string' as never })).toThrow(/cannot declare the event `wrong`/u)
  })
})

describe('a reader', () => {
  const order = sent(own.event('orderPlaced', { id: 'o1', items: [] }))

  it('knows the declared events by their names', () => {
    expect(own.is(order, 'orderPlaced')).toBe(true)
    expect(own.is(order)).toBe(true)
    expect(own.is(order, 'noted')).toBe(false)
    expect(own.is(sent({ type: 'custom', name: 'other', data: {} }))).toBe(false)
    expect(own.is(sent({ type: 'warning', agent: null, text: 'noted', topic: 'x' }))).toBe(false)
  })

  it('takes no event whose content was left out', () => {
    expect(own.is({ ...order, data: null } as XEvent, 'orderPlaced')).toBe(false)
    expect(own.is(sent(own.event('noted', null)), 'noted')).toBe(true)
    const optional = customEvents({ found: z.string().nullable() })
    expect(optional.is(sent(optional.event('found', null)))).toBe(true)
  })

  it('knows events that are declared by their types alone', () => {
    const typed = customEvents<{ tick: { count: number } }>()
    const tick = typed.event('tick', { count: 1 })
    expect(tick).toEqual({ type: 'custom', name: 'tick', data: { count: 1 } })
    expect(typed.is(sent(tick), 'tick')).toBe(true)
    expect(typed.is(order, 'tick')).toBe(false)
  })
})

it('goes through a run, beside events that nobody declared', async () => {
  const buy = tool({
    name: 'buy',
    description: 'Buys.',
    execute: async (_, { run }) => {
      await run?.emit(own.event('orderPlaced', { id: 'o7', items: [{ price: 2 }] }))
      await run?.emit({ type: 'custom', name: 'plain', data: 7 })
      return 'bought'
    },
  })
  const call = { id: 'c1', function: { name: 'buy', arguments: '{}' } }
  const clerk = new ConversableAgent({
    name: 'clerk',
    humanInputMode: 'NEVER',
    llmConfig: functionModel(({ messages }) =>
      messages.at(-1)!.role === 'tool' ? 'done' : { content: null, tool_calls: [call] },
    ),
  })
  const user = new ConversableAgent({ name: 'user', humanInputMode: 'NEVER' })
  user.registerForExecution(buy)
  const events: XEvent[] = []
  const stream: AsyncGenerator<XEvent, ChatResult> = user.initiateChatStream(clerk, { message: 'buy', maxTurns: 2 })
  for await (const event of stream) events.push(event)
  const orders = events.flatMap((event) => (own.is(event, 'orderPlaced') ? [event] : []))
  expect(orders.map(({ chatId, data }) => [chatId, data.id, data.gift])).toEqual([['1', 'o7', false]])
  const plain = events.find((event) => event.type === 'custom' && event.name === 'plain')
  expect(plain).toMatchObject({ data: 7, parentId: orders[0]!.parentId })
})
