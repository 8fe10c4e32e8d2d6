import type { ConfigEntry, Provider } from '@x/interfaces'
import { openai } from '@x/provider-openai'
import { exchange, type RecordedAnswer } from '@x/testing/provider-contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { targets } from './any-history.fake.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

const REPLY = {
  reasoning: { text: 'Hm.', signature: 's' },
  text: 'Hello',
  calls: [{ id: 'a', name: 'f', args: { x: 1 } }, { name: 'g' }],
}

const OPENAI_WHOLE: Json = {
  id: 'chatcmpl-1',
  created: 1,
  model: 'gpt-4o',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Hello',
        refusal: null,
        reasoning_content: 'Hm.',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, prompt_tokens_details: { cached_tokens: 1 } },
}
const chunk = (delta: Json, finish: string | null = null): Json => ({
  id: 'chatcmpl-1',
  model: 'gpt-4o',
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const OPENAI_FRAMES: Json[] = [
  chunk({ role: 'assistant', content: 'Hel' }),
  chunk({ content: 'lo', reasoning_content: 'Hm.' }),
  chunk({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"x"' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
  chunk({}, 'tool_calls'),
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } },
]

interface Answering {
  readonly name: string
  readonly provider: Provider
  readonly entry: ConfigEntry
  readonly whole: Json
  readonly frames: Json[]
}

const answering: readonly Answering[] = [
  ...targets.map(([name, provider, format, entry]) => ({
    name,
    provider,
    entry,
    whole: format.whole(REPLY) as Json,
    frames: format.frames(REPLY).map(({ data }) => JSON.parse(data) as Json),
  })),
  { name: 'OpenAI', provider: openai, entry: { model: 'gpt-4o' }, whole: OPENAI_WHOLE, frames: OPENAI_FRAMES },
]

/** Lists every place in a value by its keys. */
function places(value: Json, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [path, ...inner.flatMap(([key, each]) => places(each, [...path, key]))]
}

function replaced(value: Json, [key, ...rest]: readonly (string | number)[], by: Json | undefined): Json {
  if (key === undefined) return by ?? {}
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, Json>
  if (rest.length === 0 && by === undefined) delete copy[key]
  else copy[key] = replaced(copy[key]!, rest, by)
  return copy
}

const anyValue = fc.oneof(
  fc.constantFrom<Json | undefined>(undefined, null, 0, -1, 1.5, '', 'x', true, [], {}, [null], [[]], { a: [] }),
  fc.constantFrom<Json>(1e308, '__proto__', { __proto__: null }, [{}], { text: 1 }, { type: 'text', text: 5 }),
)

describe.each(answering)('$name', ({ provider, entry, whole, frames }) => {
  /** Puts other values at some places; the answer is read, or the call fails with a model failure. */
  const holds = async (recorded: Json, form: (mutated: Json) => RecordedAnswer): Promise<void> => {
    const all = places(recorded)
    const anyChanges = fc.array(fc.tuple(fc.nat(all.length - 1), anyValue), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(anyChanges, async (changes) => {
        let mutated = recorded
        for (const [at, value] of changes) {
          // A place that an earlier change took away is left alone.
          if (places(mutated).some((path) => path.join('/') === all[at]!.join('/'))) {
            mutated = replaced(mutated, all[at]!, value)
          }
        }
        const messages = [{ role: 'user' as const, content: 'Hi' }]
        const { answer, error } = await exchange(provider, entry, { model: entry.model!, messages }, form(mutated))
        if (!answer) {
          expect(error).toMatchObject({ kind: expect.any(String) })
          return
        }
        for (const { message, finish_reason: reason } of answer.choices) {
          expect(message.content === null || typeof message.content === 'string').toBe(true)
          expect(typeof reason).toBe('string')
          for (const { id, function: called } of message.tool_calls ?? []) {
            expect([typeof id, typeof called.name, typeof called.arguments]).toEqual(['string', 'string', 'string'])
          }
        }
        const { usage } = answer
        if (usage) expect(usage.total_tokens).toBeGreaterThanOrEqual(usage.prompt_tokens)
      }),
      { numRuns: 400 },
    )
  }

  test('reads a complete answer with strange fields', async () => {
    await holds(whole, (mutated) => ({ whole: mutated }))
  })

  test('reads a stream with strange fields', async () => {
    await holds(frames, (mutated) => ({ frames: Array.isArray(mutated) ? mutated : [mutated] }))
  })
})
