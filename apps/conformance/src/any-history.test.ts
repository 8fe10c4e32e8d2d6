import type { ChatMessage } from '@x/interfaces'
import { openai } from '@x/provider-openai'
import { startFakeOpenAI } from '@x/testing'
import { deepFreeze, exchange } from '@x/testing/provider-contract'
import type { PlainReply } from '@x/testing/wire'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyHistory, refusalOf, targets } from './any-history.fake.ts'

describe.each(targets)('%s', (_, provider, format, entry) => {
  const whole = format.whole({ text: 'ok' })

  test('takes any history and does not change it', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (messages) => {
        const before = structuredClone(messages)
        const { body, error } = await exchange(
          provider,
          entry,
          { model: entry.model!, messages: deepFreeze(messages) },
          {
            whole,
          },
        )
        expect(error).toBe(undefined)
        expect(refusalOf(format, entry, body)).toBe(undefined)
        expect(messages).toEqual(before)
      }),
    )
  })

  test('takes all its own answers back, complete and streamed alike', async () => {
    const anyReply: fc.Arbitrary<PlainReply> = fc.record({
      text: fc.constantFrom(undefined, 'Hello', ' x ', 'é☀️'),
      reasoning: fc.constantFrom(undefined, { text: 'Hm.', signature: 's' }),
      calls: fc
        .array(
          fc.record({
            id: fc.constantFrom('a', 'b', 'c'),
            name: fc.constantFrom('f', 'g'),
            args: fc.dictionary(fc.constantFrom('x', 'y'), fc.integer()),
          }),
          { maxLength: 3 },
        )
        .map((calls) => calls.map((call, n) => ({ ...call, id: `${call.id}${n}` }))),
    })
    await fc.assert(
      fc.asyncProperty(anyReply, async (reply) => {
        const question: ChatMessage = { role: 'user', content: 'Hi' }
        const ask = { model: entry.model!, messages: [question] }
        const once = await exchange(provider, entry, ask, { whole: format.whole(reply) })
        const streamed = await exchange(provider, entry, ask, {
          frames: format.frames(reply).map(({ data }) => JSON.parse(data) as unknown),
        })
        expect(streamed.answer!.choices).toEqual(once.answer!.choices)
        const { message } = once.answer!.choices[0]!
        const results = (message.tool_calls ?? []).map(({ id }): ChatMessage => ({
          role: 'tool',
          tool_call_id: id!,
          content: 'r',
        }))
        const messages = [question, message, ...results, question]
        const { body } = await exchange(provider, entry, { model: entry.model!, messages }, { whole })
        expect(refusalOf(format, entry, body)).toBe(undefined)
        const reasons = entry.model !== 'gpt-4o'
        if (reasons && reply.reasoning && (message.tool_calls?.length ?? 0) > 0)
          expect(JSON.stringify(body)).toContain('"s"')
      }),
    )
  })
})

test('OpenAI takes any history', async () => {
  await using server = await startFakeOpenAI({ strict: true })
  const client = openai.createClient({ model: 'gpt-4o', apiKey: 'key', baseUrl: server.url, maxRetries: 0 })
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const messages: ChatMessage[] = [...history, { role: 'user', content: 'Hi' }]
      const answer = await client.create({ model: 'gpt-4o', messages: deepFreeze(messages) }, {})
      expect(answer.choices.length).toBe(1)
    }),
    { numRuns: 60 },
  )
})
