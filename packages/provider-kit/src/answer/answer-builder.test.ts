import { describe, expect, test } from 'vitest'
import { createAnswerBuilder, type AnswerBuilder } from './answer-builder.ts'
import { createNameMap } from '../message/identifiers.ts'
import { normalizeUsage } from './usage.ts'
import fc from 'fast-check'

const RULE = { maxLength: 64, forbidden: /[^\w-]/gu }
const made = (): AnswerBuilder =>
  createAnswerBuilder({ model: 'asked', provider: 'own', names: createNameMap(['geo.locate'], RULE) })

describe('an answer in the making', () => {
  test('names come back as they were given (X2)', () => {
    const names = createNameMap(['geo.locate', 'geo_locate'], RULE)
    const answer = createAnswerBuilder({ model: 'm', provider: 'own', names })
    answer.callStart({ name: names.to('geo.locate') })
    answer.finish('tool_calls')
    expect(answer.end().choices[0]!.message.tool_calls![0]!.function.name).toBe('geo.locate')
    expect(names.to('geo.locate')).not.toBe(names.to('geo_locate'))
  })

  test('without an end it is cut off (X7), whatever was said', () => {
    const answer = made()
    expect(() => answer.end()).toThrow(expect.objectContaining({ kind: 'truncated' }))
    answer.text('half')
    expect(() => answer.end()).toThrow(expect.objectContaining({ kind: 'truncated', details: { partial: 'half' } }))
  })

  test('an empty delta says nothing, an empty answer still has a start and a finish', () => {
    const answer = made()
    answer.text('')
    answer.finish('length')
    expect(answer.hasContent).toBe(false)
    expect(answer.end().choices[0]!.message).toEqual({ role: 'assistant', content: '' })
    expect(answer.take().map(({ type }) => type)).toEqual(['start', 'finish'])
  })

  test('the answer is the fold of its events, in whatever pieces they come', () => {
    const anyPiece = fc.oneof(
      fc.record({ kind: fc.constant('text' as const), text: fc.string() }),
      fc.record({ kind: fc.constant('call' as const), text: fc.constantFrom('a', 'b') }),
      fc.record({ kind: fc.constant('args' as const), text: fc.string() }),
    )
    fc.assert(
      fc.property(fc.array(anyPiece), (pieces) => {
        const answer = made()
        let call = -1
        for (const { kind, text } of pieces) {
          if (kind === 'text') answer.text(text)
          else if (kind === 'call') call = answer.callStart({ name: text })
          else if (call >= 0) answer.callDelta(call, text)
        }
        answer.finish('stop')
        const { message } = answer.end().choices[0]!
        const events = answer.take()
        const text = events.map((event) => (event.type === 'textDelta' ? event.text : '')).join('')
        expect(message.content ?? '').toBe(text)
        for (const [index, each] of (message.tool_calls ?? []).entries()) {
          const args = events.map((event) =>
            event.type === 'toolCallDelta' && event.call === index ? event.arguments : '',
          )
          expect(each.function.arguments).toBe(args.join(''))
        }
        expect(events.filter(({ type }) => type === 'toolCallStart').length).toBe(
          events.filter(({ type }) => type === 'toolCallEnd').length,
        )
      }),
    )
  })
})

test('X12: usage is absent when unknown, never negative or no number, and its parts are in its totals', () => {
  expect(normalizeUsage({ prompt: undefined, completion: null })).toBe(undefined)
  expect(normalizeUsage({ prompt: 1e308, completion: 1e308, total: Infinity })).toBe(undefined)
  const any = fc.oneof(fc.integer({ min: -5, max: 100 }), fc.constantFrom(undefined, null, Number.NaN, 'x'))
  fc.assert(
    fc.property(
      fc.record({ prompt: any, completion: any, cached: any, cacheWrite: any, reasoning: any, total: any }),
      (counts) => {
        const usage = normalizeUsage(counts)
        if (!usage) return
        const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage
        expect(total).toBeGreaterThanOrEqual(prompt + completion)
        expect((usage.cached_tokens ?? 0) + (usage.cache_write_tokens ?? 0)).toBeLessThanOrEqual(prompt)
        expect(usage.reasoning_tokens ?? 0).toBeLessThanOrEqual(completion)
        for (const count of [prompt, completion, total]) expect(count).toBeGreaterThanOrEqual(0)
      },
    ),
  )
})
