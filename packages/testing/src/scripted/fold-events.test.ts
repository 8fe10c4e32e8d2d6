import type { ModelAnswer } from '@x/interfaces'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerEvents, words } from './answer-events.ts'
import { foldEvents } from './fold-events.ts'

const text = fc.string({ unit: 'binary' })
const call = fc.record({
  id: text,
  type: fc.constant('function' as const),
  function: fc.record({ name: text, arguments: text }),
})
const message = fc.oneof(
  fc.record({ role: fc.constant('assistant' as const), content: text }),
  fc
    .record({
      role: fc.constant('assistant' as const),
      content: fc.oneof(text, fc.constant(null)),
      tool_calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    })
    // A stream cannot tell an empty text beside calls from none.
    .map((made) => ({ ...made, content: made.content || null })),
)
const usage = fc.record({ prompt_tokens: fc.nat(), completion_tokens: fc.nat(), total_tokens: fc.nat() })

describe('the events of an answer', () => {
  it('add up to it', () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 3 }), usage, text, (messages, usage, model) => {
        const choices = messages.map((message, index) => ({ index, message, finish_reason: 'stop' }))
        const answer: ModelAnswer = { id: 'a', model, created: 0, choices, usage }
        expect(foldEvents(answerEvents(answer))).toEqual(answer)
      }),
    )
  })

  it('hold every character of a text, cut before words', () => {
    fc.assert(fc.property(text, (whole) => words(whole).join('') === whole))
    expect(words(' one two\n')).toEqual([' one', ' two\n'])
  })

  it.each([
    ['nothing at all', [], 'truncated'],
    ['a choice without an end', [{ type: 'textDelta', index: 0, text: 'a' }], 'truncated'],
    ['a piece of a call that was not begun', [{ type: 'toolCallDelta', index: 0, call: 0, arguments: 'a' }], undefined],
  ] as const)('do not add up when there is %s', (_, events, kind) => {
    expect(() => foldEvents(events)).toThrow(
      expect.objectContaining(kind ? { code: 'model-failed', kind } : { code: 'invalid-argument' }),
    )
  })
})
