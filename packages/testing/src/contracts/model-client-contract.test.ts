import type { ModelClient, ModelErrorKind } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { scriptedClient } from '../scripted/scripted-client.ts'
import type { MessageReply, ScriptedReply } from '../scripted/scripted-reply.ts'
import type { ContractAnswer, ContractTurn, ModelClientContract } from './client-contract.ts'
import { failing } from './failing.fake.ts'
import { modelClientContract } from './model-client-contract.ts'

const KINDS: readonly ModelErrorKind[] = ['rate-limit', 'server', 'timeout', 'content-filter', 'auth']

function messageOf({ text, calls, usage }: ContractAnswer): MessageReply {
  return {
    ...(text !== undefined && { content: text }),
    ...(calls && {
      tool_calls: calls.map((call, index) => ({ id: `call_${index + 1}`, type: 'function' as const, function: call })),
    }),
    ...(usage && { usage: [usage.prompt, usage.completion] }),
  }
}

function replyOf(turn: ContractTurn): ScriptedReply {
  if ('answer' in turn) return messageOf(turn.answer)
  if ('failure' in turn) return { error: turn.failure }
  if ('hang' in turn) return { delay: new Promise(() => {}), reply: 'never' }
  return { stream: [{ type: 'textDelta', index: 0, text: turn.cut.text ?? '' }] }
}

const scripted = (turns: readonly ContractTurn[]): ModelClient => scriptedClient(turns.map(replyOf))

const contract: ModelClientContract = { name: 'a scripted client', create: scripted, failures: KINDS, model: 'm' }
modelClientContract({ describe, test, expect }, contract)

test('a client that cannot stream keeps the contract too', async () => {
  const create = (turns: readonly ContractTurn[]): ModelClient => ({ ...scripted(turns), stream: undefined as never })
  expect(await failing((runner) => modelClientContract(runner, { ...contract, create }))).toEqual([])
})

const broken: readonly (readonly [string, (client: ModelClient, key: string) => Partial<ModelClient>, RegExp])[] = [
  [
    'says something else in its stream',
    (client) => ({
      async *stream(params, options) {
        const events = client.stream!(params, options)
        for (;;) {
          const { done, value } = await events.next()
          if (done) return value
          yield value.type === 'textDelta' ? { ...value, text: value.text.trim() } : value
        }
      },
    }),
    /fold of its events/u,
  ],
  [
    'writes on the request',
    (client) => ({ create: (params, options) => client.create(Object.assign(params, { stream: false }), options) }),
    /complete answer says it/u,
  ],
  [
    'counts in halves',
    (client) => ({ getUsage: (answer) => ({ ...client.getUsage(answer), promptTokens: 0.5 }) }),
    /fit together/u,
  ],
  ['has another cost in its usage', () => ({ cost: () => 3 }), /fit together/u],
  ['knows no abort', (client) => ({ create: (params) => client.create(params, {}) }), /before it began/u],
  [
    'knows no kinds',
    (client) => ({
      create() {
        throw new Error('it failed', { cause: client })
      },
    }),
    /of kind server/u,
  ],
  [
    'does not say which model has answered',
    (client) => ({
      create: async (params, options) => ({ ...(await client.create(params, options)), model: undefined! }),
    }),
    /complete answer says it/u,
  ],
  ['shows its key', (_, key) => ({ key }) as never, /shows no key/u],
  ['retrieves nothing', () => ({ messageRetrieval: () => [] }), /can be retrieved/u],
  [
    'takes a cut stream for an answer',
    (client) => ({
      async *stream(params, options) {
        try {
          return yield* client.stream!(params, options)
        } catch {
          return await client.create({ ...params, messages: [] }, options)
        }
      },
    }),
    /no answer/u,
  ],
  [
    'holds live objects in its answer',
    (client) => ({
      async create(params, options) {
        return { ...(await client.create(params, options)), made: new Date(0) }
      },
    }),
    /plain data/u,
  ],
]

test.each(broken)('a client that %s is found out', async (_, change, name) => {
  const create = (turns: readonly ContractTurn[], key: string): ModelClient => {
    const again = turns.flatMap((turn): ContractTurn[] => ('cut' in turn ? [turn, { answer: turn.cut }] : [turn]))
    const client = scripted(again)
    return { ...client, ...change(client, key) }
  }
  const failed = await failing((runner) => modelClientContract(runner, { ...contract, hangs: false, create }))
  expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(name)]))
})

test('a client that does not look at the time is found out', async () => {
  const create = (turns: readonly ContractTurn[]): ModelClient => {
    const client = scripted(turns)
    return { ...client, create: (params, options) => client.create(params, { ...options, timeout: undefined }) }
  }
  expect(await failing((runner) => modelClientContract(runner, { ...contract, create }))).toEqual([
    'a call that is not answered within its `timeout` fails with `timeout`',
  ])
})

test('resources of a test are released after it', async () => {
  let open = 0
  const create = (turns: readonly ContractTurn[]): ModelClient => {
    open++
    return scripted(turns)
  }
  const dispose = (): void => void open--
  expect(await failing((runner) => modelClientContract(runner, { ...contract, create, dispose }))).toEqual([])
  expect(open).toBe(0)
})
