import type { ChatMessage, ContentPart } from '@x/interfaces'
import fc from 'fast-check'
import { summarizer, textOf } from './fakes.fake.ts'
import { clearAttachments, clearToolResults } from './views/clear.ts'
import { limitMessages, limitTokens } from './views/limit.ts'
import { pin } from './views/pin.ts'
import { summarize } from './views/summarize.ts'
import type { View } from './views/view.ts'

const anyText = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map(textOf),
  fc.integer({ min: 200, max: 3000 }).map(textOf),
  fc.constantFrom('日本語のテキスト'.repeat(20), '🙂'.repeat(50), 'x'.repeat(3000), '{"a":[1,2,3]}'.repeat(30)),
)

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } } as const

/** A question, sometimes with an attachment. */
const anyQuestion: fc.Arbitrary<ChatMessage[]> = fc
  .tuple(anyText, fc.boolean())
  .map(([text, attached]): ChatMessage[] => [
    { role: 'user', name: 'ann', content: attached ? [{ type: 'text', text }, image] : text },
  ])

/** A round of calls with their results, in any order. */
const anyRound = fc
  .record({
    text: fc.option(anyText, { nil: null }),
    results: fc.array(
      fc.oneof({ weight: 4, arbitrary: anyText }, fc.constant<ContentPart[]>([{ type: 'text', text: 'So' }, image])),
      { minLength: 1, maxLength: 3 },
    ),
    long: fc.boolean(),
    reversed: fc.boolean(),
  })
  .map(({ text, results, long, reversed }) => (id: string): ChatMessage[] => {
    const calls = results.map((_, n) => ({
      id: `${id}_${n}`,
      type: 'function' as const,
      function: { name: 'read', arguments: JSON.stringify({ path: long ? textOf(900) : 'a' }) },
    }))
    const answers = results.map((content, n): ChatMessage => ({ role: 'tool', tool_call_id: `${id}_${n}`, content }))
    return [{ role: 'assistant', content: text, tool_calls: calls }, ...(reversed ? answers.toReversed() : answers)]
  })

/** A history as a model sees it: questions, answers and rounds of calls, and a last question. */
export const anyTidyHistory: fc.Arbitrary<ChatMessage[]> = fc
  .array(
    fc.oneof(
      anyQuestion.map((messages) => () => messages),
      anyText.map((content) => (): ChatMessage[] => [{ role: 'assistant', content }]),
      anyRound,
    ),
    { minLength: 1, maxLength: 25 },
  )
  .chain((parts) => anyQuestion.map((last) => [...parts.flatMap((part, index) => part(`call_${index}`)), ...last]))

/** Views in any combination, with limits that force cuts. */
export const anyViews: fc.Arbitrary<View[]> = fc
  .tuple(
    fc.constantFrom(300, 1000, 4000).map((total) => limitTokens({ total })),
    fc.subarray([
      limitTokens({ perMessage: 120 }),
      clearToolResults({ keep: 1 }),
      clearToolResults({ keep: 0, at: 0.5 }),
      clearAttachments({ keep: 0 }),
      limitMessages({ max: 5, to: 3 }),
      limitMessages(1),
      summarize({ model: summarizer('They talked. </summary>') }),
      pin(1),
      pin(({ role }, index) => role === 'tool' && index % 3 === 0),
    ]),
  )
  .map(([limit, others]) => [limit, ...others])
