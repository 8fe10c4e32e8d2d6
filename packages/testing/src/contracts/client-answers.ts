import type { ChatMessage, ModelAnswer } from '@x/interfaces'
import { collected, folded, said } from '../provider-contract/collected.ts'
import type { ContractRunner } from './contract-runner.ts'
import { disorder } from './event-order.ts'
import type { ContractAnswer, WithClient } from './client-contract.ts'

const ANSWERS: readonly (readonly [string, ContractAnswer])[] = [
  ['a text', { text: 'Here is an answer of several words.', usage: { prompt: 12, completion: 7 } }],
  ['a call', { calls: [{ name: 'look', arguments: '{"at":"the sky"}' }], usage: { prompt: 20, completion: 9 } }],
  [
    'two calls',
    {
      calls: [
        { name: 'look', arguments: '{"at":"the sky"}' },
        { name: 'listen', arguments: '{}' },
      ],
    },
  ],
]

/** Checks answers of a client. */
export function clientAnswers({ test, expect }: ContractRunner, withClient: WithClient): void {
  for (const [what, answer] of ANSWERS) {
    const { text = '', calls = [], usage } = answer
    const expected = [{ text, calls: [...calls], finish: calls.length > 0 ? 'tool_calls' : 'stop' }]

    test(`${what}: the complete answer says it`, async () => {
      await withClient([{ answer }], async ({ client, params }) => {
        const given = await client.create(params, {})
        expect(said(given)).toEqual(expected)
        expect(given.choices.map(({ index }) => index)).toEqual([0])
        expect(given.choices[0]!.message.role).toBe('assistant')
        expect(given.model).not.toBe('')
        const ids = (given.choices[0]!.message.tool_calls ?? []).map(({ id }) => id)
        expect(new Set(ids).size).toBe(calls.length)
      })
    })

    test(`${what}: the answer is plain data, which a cache can keep`, async () => {
      await withClient([{ answer }], async ({ client, params }) => {
        const given = await client.create(params, {})
        expect(JSON.parse(JSON.stringify(given))).toEqual(given)
      })
    })

    test(`${what}: its texts, or its messages when they hold calls, can be retrieved, also from a copy`, async () => {
      await withClient([{ answer }], async ({ client, params }) => {
        const given = await client.create(params, {})
        for (const each of [given, copied(given)]) {
          const messages: readonly (string | ChatMessage)[] = client.messageRetrieval(each)
          if (calls.length === 0) expect(messages).toEqual([text])
          else expect(namesIn(messages)).toEqual([calls.map(({ name }) => name)])
        }
      })
    })

    test(`${what}: usage and cost are numbers that fit together`, async () => {
      await withClient([{ answer }], async ({ client, params }) => {
        const given = await client.create(params, {})
        const { model, promptTokens, completionTokens, totalTokens, cost } = client.getUsage(given)
        expect(model).toBe(given.model)
        expect([promptTokens, completionTokens, totalTokens].every((n) => Number.isInteger(n) && n >= 0)).toBe(true)
        expect(totalTokens >= promptTokens + completionTokens).toBe(true)
        expect(Number.isFinite(cost) && cost >= 0).toBe(true)
        expect(client.cost(given) ?? 0).toBe(cost)
        if (!usage) return
        expect({ promptTokens, completionTokens }).toEqual({
          promptTokens: usage.prompt,
          completionTokens: usage.completion,
        })
        expect([given.usage?.prompt_tokens, given.usage?.completion_tokens]).toEqual([usage.prompt, usage.completion])
      })
    })

    test(`${what}: the stream says the same in order, and its answer is the fold of its events`, async () => {
      const whole = await withClient([{ answer }], async ({ client, params }) => await client.create(params, {}))
      await withClient([{ answer }], async ({ client, params }) => {
        if (!client.stream) return
        const { events, answer: given, error } = await collected(client, params)
        expect(error).toBe(undefined)
        expect(disorder(events)).toBe(undefined)
        expect(folded(events)).toEqual(expected)
        expect(said(given!)).toEqual(expected)
        expect(countsOf(given!)).toEqual(countsOf(whole))
      })
    })
  }

  test('the request stays as it was', async () => {
    await withClient([{ answer: { text: 'Yes.' } }, { answer: { text: 'Yes.' } }], async ({ client, params }) => {
      const before = structuredClone(params)
      await client.create(params, {})
      if (client.stream) await collected(client, params)
      expect(params).toEqual(before)
    })
  })
}

const copied = (answer: ModelAnswer): ModelAnswer => JSON.parse(JSON.stringify(answer)) as ModelAnswer

const namesIn = (messages: readonly (string | ChatMessage)[]): unknown =>
  messages.map((message) =>
    typeof message === 'string' ? message : (message.tool_calls ?? []).map((call) => call.function.name),
  )

const countsOf = ({ usage }: ModelAnswer): unknown =>
  usage && [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens]
