import type { ChatMessage, ModelAnswer } from '@x/interfaces'
import { collectStream, foldContent, contentOf } from '../provider-contract/collect-stream.ts'
import type { ContractRunner } from './contract-runner.ts'
import { findDisorder } from './event-order.ts'
import type { ContractAnswer, WithClient } from './client-contract.ts'

/** An answer of the model behind a client, with its name in the titles of the tests. */
interface AnswerCase {
  readonly what: string
  readonly answer: ContractAnswer
}

const ANSWERS: readonly AnswerCase[] = [
  { what: 'a text', answer: { text: 'Here is an answer of several words.', usage: { prompt: 12, completion: 7 } } },
  {
    what: 'a call',
    answer: { calls: [{ name: 'look', arguments: '{"at":"the sky"}' }], usage: { prompt: 20, completion: 9 } },
  },
  {
    what: 'two calls',
    answer: {
      calls: [
        { name: 'look', arguments: '{"at":"the sky"}' },
        { name: 'listen', arguments: '{}' },
      ],
    },
  },
]

/** Checks answers of a client. */
export function checkClientAnswers(runner: ContractRunner, withClient: WithClient): void {
  const { test, expect } = runner
  for (const answerCase of ANSWERS) {
    checkComplete(runner, withClient, answerCase)
    checkRetrieval(runner, withClient, answerCase)
    checkUsage(runner, withClient, answerCase)
    checkStream(runner, withClient, answerCase)
  }

  test('the request stays as it was', async () => {
    await withClient([{ answer: { text: 'Yes.' } }, { answer: { text: 'Yes.' } }], async ({ client, params }) => {
      const before = structuredClone(params)
      await client.create(params, {})
      if (client.stream) await collectStream(client, params)
      expect(params).toEqual(before)
    })
  })
}

function checkComplete({ test, expect }: ContractRunner, withClient: WithClient, { what, answer }: AnswerCase): void {
  const { calls = [] } = answer

  test(`${what}: the complete answer says it`, async () => {
    await withClient([{ answer }], async ({ client, params }) => {
      const created = await client.create(params, {})
      expect(contentOf(created)).toEqual(expectedOf(answer))
      expect(created.choices.map(({ index }) => index)).toEqual([0])
      expect(created.choices[0]!.message.role).toBe('assistant')
      expect(created.model).not.toBe('')
      expect([typeof created.id, typeof created.model, typeof created.created]).toEqual(['string', 'string', 'number'])
      const ids = (created.choices[0]!.message.tool_calls ?? []).map(({ id }) => id)
      expect(new Set(ids).size).toBe(calls.length)
    })
  })

  test(`${what}: the answer is plain data, which a cache can keep`, async () => {
    await withClient([{ answer }], async ({ client, params }) => {
      const created = await client.create(params, {})
      expect(JSON.parse(JSON.stringify(created))).toEqual(created)
    })
  })
}

function checkRetrieval({ test, expect }: ContractRunner, withClient: WithClient, { what, answer }: AnswerCase): void {
  const { text = '', calls = [] } = answer

  test(`${what}: its texts, or its messages when they hold calls, can be retrieved, also from a copy`, async () => {
    await withClient([{ answer }], async ({ client, params }) => {
      const created = await client.create(params, {})
      for (const each of [created, copied(created)]) {
        const messages: readonly (string | ChatMessage)[] = client.messageRetrieval(each)
        if (calls.length === 0) expect(messages).toEqual([text])
        else expect(namesIn(messages)).toEqual([calls.map(({ name }) => name)])
      }
    })
  })
}

function checkUsage({ test, expect }: ContractRunner, withClient: WithClient, { what, answer }: AnswerCase): void {
  const { usage } = answer

  test(`${what}: usage and cost are numbers that fit together`, async () => {
    await withClient([{ answer }], async ({ client, params }) => {
      const created = await client.create(params, {})
      const { model, promptTokens, completionTokens, totalTokens, cost } = client.getUsage(created)
      expect(model).toBe(created.model)
      expect([promptTokens, completionTokens, totalTokens].every((n) => Number.isInteger(n) && n >= 0)).toBe(true)
      expect(totalTokens >= promptTokens + completionTokens).toBe(true)
      expect(Number.isFinite(cost) && cost >= 0).toBe(true)
      expect(client.cost(created) ?? 0).toBe(cost)
      if (!usage) return
      expect({ promptTokens, completionTokens }).toEqual({
        promptTokens: usage.prompt,
        completionTokens: usage.completion,
      })
      expect([created.usage?.prompt_tokens, created.usage?.completion_tokens]).toEqual([usage.prompt, usage.completion])
    })
  })
}

function checkStream({ test, expect }: ContractRunner, withClient: WithClient, { what, answer }: AnswerCase): void {
  test(`${what}: the stream says the same in order, and its answer is the fold of its events`, async () => {
    const whole = await withClient([{ answer }], async ({ client, params }) => await client.create(params, {}))
    await withClient([{ answer }], async ({ client, params }) => {
      if (!client.stream) return
      const { events, answer: streamed, error } = await collectStream(client, params)
      expect(error).toBe(undefined)
      expect(findDisorder(events)).toBe(undefined)
      expect(foldContent(events)).toEqual(expectedOf(answer))
      expect(contentOf(streamed!)).toEqual(expectedOf(answer))
      expect(countsOf(streamed!)).toEqual(countsOf(whole))
    })
  })
}

/** Returns the texts, calls and finish reasons of an answer, in the form of `contentOf`. */
function expectedOf({ text = '', calls = [] }: ContractAnswer): object[] {
  return [{ text, calls: [...calls], finish: calls.length > 0 ? 'tool_calls' : 'stop' }]
}

const copied = (answer: ModelAnswer): ModelAnswer => JSON.parse(JSON.stringify(answer)) as ModelAnswer

const namesIn = (messages: readonly (string | ChatMessage)[]): unknown =>
  messages.map((message) =>
    typeof message === 'string' ? message : (message.tool_calls ?? []).map((call) => call.function.name),
  )

const countsOf = ({ usage }: ModelAnswer): unknown =>
  usage && [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens]
