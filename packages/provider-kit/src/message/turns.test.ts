import type { ChatMessage, ToolCall } from '@x/interfaces'
import { deepFreeze, longHistory } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { flatHistory } from './flat-history.ts'
import { createNameMap } from './identifiers.ts'
import { mergeTurns, turnsOf, type TurnList, type TurnPart } from './turns.ts'
import fc from 'fast-check'

const RULE = { maxLength: 40, forbidden: /[^\w-]/gu }

function lowered(messages: readonly ChatMessage[], warnings: string[] = []): TurnList {
  const names = createNameMap(
    messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map((call) => call.function.name)),
    { maxLength: 64, forbidden: /[^\w-]/gu },
  )
  return turnsOf(messages, { provider: 'own', ids: RULE, names, warn: (topic) => warnings.push(topic) })
}

const parts = ({ turns }: TurnList): TurnPart[] => turns.flatMap((turn) => turn.parts)

/** Ids as providers give them, too long and too strange ones among them, often the same. */
const anyId = fc.constantFrom(
  'call_1',
  'call_2',
  'functions.weather:0',
  `x${'y'.repeat(60)}`,
  `x${'y'.repeat(61)}`,
  '',
  undefined,
)
const anyName = fc.constantFrom('weather', 'geo.locate', 'a'.repeat(70), 'wéather', 'now')
const anyText = fc.constantFrom('', ' ', 'Hello', '\n', 'Error: no')
const anyCall = fc.record({ id: anyId, name: anyName, args: fc.constantFrom('', '{}', '{"a":1}', 'no json', '[1]') })

/** A conversation of several agents as it may be stored: results that are missing, twice there, or of nobody's call. */
const anyMessage: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const), content: anyText }),
  fc.record({ content: fc.constantFrom('x', null), name: fc.constantFrom('ann', 'bob carl') }),
  fc.array(anyCall, { minLength: 1, maxLength: 3 }).map((calls): ChatMessage => ({
    role: 'assistant',
    content: null,
    tool_calls: calls.map(({ id, name, args }): ToolCall => ({
      ...(id !== undefined && { id }),
      function: { name, arguments: args },
    })),
  })),
  fc
    .record({ role: fc.constant('tool' as const), tool_call_id: anyId, content: anyText })
    .map(({ tool_call_id: id, ...rest }): ChatMessage => ({ ...rest, ...(id !== undefined && { tool_call_id: id }) })),
  fc.array(anyId, { minLength: 1, maxLength: 3 }).map((ids): ChatMessage => ({
    role: 'tool',
    content: 'joined',
    tool_responses: ids.map((id, at) => ({
      role: 'tool',
      content: at === 1 ? [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }] : 'r',
      ...(id !== undefined && { tool_call_id: id }),
    })),
  })),
  anyName.map((name): ChatMessage => ({ role: 'assistant', content: '', function_call: { name, arguments: '{}' } })),
  anyName.map((name): ChatMessage => ({ role: 'function', name, content: 'r' })),
)

const anyHistory = fc.array(anyMessage, { maxLength: 14 })

describe('any stored conversation', () => {
  test('X1: gets legal, unique and stable ids, equal in call and result', () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const conversation = lowered(messages)
        const calls = parts(conversation).flatMap((part) => (part.type === 'call' ? [part.id] : []))
        expect(new Set(calls).size).toBe(calls.length)
        for (const id of calls) expect(id).toMatch(/^[\w-]{1,40}$/u)
        expect(lowered(structuredClone(messages))).toEqual(conversation)
      }),
    )
  })

  test('X2: gets legal names', () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        for (const part of parts(lowered(messages)))
          if (part.type === 'call') expect(part.name).toMatch(/^[\w-]{1,64}$/u)
      }),
    )
  })

  test('X3: gets arguments as objects', () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        for (const part of parts(lowered(messages)))
          if (part.type === 'call') expect(Array.isArray(part.args)).toBe(false)
      }),
    )
  })

  test('X4: gets the result of every call in the next turn, in order, and the call of every result', () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const turns = mergeTurns(lowered(messages).turns)
        let open: string[] = []
        for (const turn of turns) {
          const results = turn.parts.flatMap((part) => (part.type === 'result' ? [part.id] : []))
          expect(results).toEqual(open)
          open = turn.parts.flatMap((part) => (part.type === 'call' ? [part.id] : []))
          // Two messages with calls and nothing between them would be one turn: results keep them apart.
          if (open.length > 0) expect(turn.role).toBe('assistant')
        }
        expect(open).toEqual([])
      }),
    )
  })

  test('stays unchanged, and becomes at least one turn without blank texts', () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const before = structuredClone(messages)
        const conversation = lowered(deepFreeze(messages))
        expect(messages).toEqual(before)
        expect(conversation.turns.length > 0).toBe(true)
        for (const part of parts(conversation)) if (part.type === 'text') expect(part.text.trim()).not.toBe('')
      }),
    )
  })

  test('begins like the shorter one, so that the cache of a provider stays valid', () => {
    fc.assert(
      fc.property(anyHistory, anyText, (messages, content) => {
        const more: ChatMessage[] = [...messages, { role: 'user', content: `more ${content}` }]
        const shorter = lowered(messages).turns
        const longer = lowered(more).turns
        if (parts(lowered(messages)).every((part) => part.type === 'text')) return
        expect(longer.slice(0, shorter.length)).toEqual(shorter)
      }),
    )
  })
})

test('flatHistory returns the messages of a plain conversation as they are', () => {
  const messages: ChatMessage[] = [
    { role: 'user', content: 'a' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
  ]
  expect(flatHistory(messages, { ids: RULE, owners: ['acme'], warn: () => {} }).messages[0]).toBe(messages[0])
})

test('flatHistory takes the instructions of OpenAI’s developers as those of the system', () => {
  const developer = { role: 'developer', content: 'Be short.' } as unknown as ChatMessage
  const rules = { ids: RULE, owners: ['acme'], warn: () => {} }
  expect(flatHistory([developer], rules).messages).toEqual([{ role: 'system', content: 'Be short.' }])
})

test('flatHistory replaces files of other vendors, and media of results that the model does not take', () => {
  const warnings: string[] = []
  const file = { type: 'file' as const, file: { file_id: 'x', provider: 'other' } }
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
  const call = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{}' } }
  const { messages } = flatHistory(
    [
      { role: 'user', content: [file, image] },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: [image] },
    ],
    { ids: RULE, owners: ['acme'], takesInResult: () => false, warn: (_, text) => warnings.push(text) },
  )
  expect(messages[0]!.content).toEqual([{ type: 'text', text: '[file that other stores]' }, image])
  expect(messages[2]!.content).toEqual([{ type: 'text', text: expect.stringMatching(/^\[image/u) as string }])
  expect(warnings).toEqual([
    'a file that `other` stores was replaced by a note: `acme` cannot read it',
    '`image_url` in the result of a tool was replaced by a line of text: the model does not take it',
  ])
})

test('X5: makes turns of a conversation of twelve messages, and warns of foreign reasoning', () => {
  const warnings: string[] = []
  const { system, turns } = lowered(deepFreeze(longHistory()), warnings)
  expect(system).toEqual([{ type: 'text', text: 'You answer briefly.' }])
  expect(mergeTurns(turns).map(({ role, parts: all }) => [role, all.map(({ type }) => type)])).toEqual([
    ['user', ['text']],
    ['assistant', ['call', 'call']],
    ['user', ['result', 'result']],
    ['assistant', ['text']],
    ['user', ['text', 'media']],
    ['assistant', ['text', 'call']],
    ['user', ['result']],
    ['assistant', ['text']],
    ['user', ['text', 'text']],
  ])
  expect(warnings).toEqual(['reasoning', 'reasoning'])
  expect(turns.every(({ own }) => own === undefined)).toBe(true)
})

test('X5: returns data of the same provider to it', () => {
  const message: ChatMessage = { role: 'assistant', content: 'x', provider_metadata: { own: { a: 1 }, other: 2 } }
  expect(lowered([{ role: 'user', content: 'y' }, message]).turns[1]!.own).toEqual({ a: 1 })
})
