import type {
  ChatMessage,
  ConfigEntry,
  JsonSchema,
  ModelAnswer,
  ModelEvent,
  ModelParams,
  Provider,
} from '@x/interfaces'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { responsesFormat } from '@x/testing/openai'
import { createRecordings } from '@x/testing/provider-contract'
import { expect, describe, it, test } from 'vitest'

type WireFormat = typeof googleFormat

interface SentWire {
  readonly provider: Provider
  readonly entry: ConfigEntry
  readonly format: WireFormat
  /** The value in the form in which this vendor gives it. */
  readonly sent: object
}

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    counts: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'number' } },
    place: {
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: 'number' }],
      items: false,
      minItems: 2,
      maxItems: 2,
    },
    note: { type: 'string' },
    shape: {
      oneOf: [
        { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind', 'r'] },
        { type: 'object', properties: { kind: { const: 'text' }, t: { type: 'string' } }, required: ['kind', 't'] },
      ],
    },
  },
  required: ['counts', 'place', 'shape'],
  additionalProperties: false,
}

/** The value in the form of the program. */
const VALUE = { counts: { a: 1 }, place: ['x', 2], shape: { kind: 'circle', r: 3 } }

const LISTED = { counts: [{ key: 'a', value: 1 }], place: { 0: 'x', 1: 2 }, shape: VALUE.shape }

const WIRES: readonly (readonly [string, SentWire])[] = [
  [
    'responses',
    {
      provider: openai,
      entry: { model: 'gpt-5.5', api: 'responses' },
      format: responsesFormat,
      sent: { ...LISTED, note: null },
    },
  ],
  ['anthropic', { provider: anthropic, entry: { model: 'claude-opus-4-6' }, format: anthropicFormat, sent: LISTED }],
  ['google', { provider: google, entry: { model: 'gemini-3-pro-preview' }, format: googleFormat, sent: VALUE }],
]

/** Asks for an answer, whole and as a stream; the endpoint gives a reply. */
async function ask(
  { provider, entry, format }: SentWire,
  reply: Parameters<WireFormat['whole']>[0],
  params: Omit<ModelParams, 'messages'>,
  history: readonly ChatMessage[] = [],
): Promise<{
  answer: ModelAnswer
  streamed: ModelAnswer
  events: ModelEvent[]
  bodies: Record<string, unknown>[]
  warnings: string[]
}> {
  const { whole, stream } = createRecordings(format, { reply })[0]! as { whole: string; stream: string }
  const bodies: Record<string, unknown>[] = []
  const warnings: string[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const body = JSON.parse(init?.body as string) as Record<string, unknown>
    bodies.push(body)
    const isStream = body['stream'] === true || (url as string).includes('stream')
    const type = isStream ? 'text/event-stream' : 'application/json'
    return new Response(isStream ? stream : whole, { headers: { 'content-type': type } })
  }
  const client = provider.createClient({ ...entry, apiKey: 'k', fetch })
  const messages: ChatMessage[] = [{ role: 'user', content: 'Hi' }, ...history]
  const options = { warn: (_: string, text: string) => void warnings.push(text) }
  const answer = await client.create({ model: entry.model, ...params, messages }, options)
  const reading = client.stream!({ model: entry.model, ...params, messages }, options)
  const events: ModelEvent[] = []
  for (;;) {
    const next = await reading.next()
    if (next.done) return { answer, streamed: next.value, events, bodies, warnings }
    events.push(next.value)
  }
}

/** Arguments of the calls in the messages of a request, as any of the wires names them. */
function argumentsIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  const { type, arguments: text, input, args, role } = value as Record<string, unknown>
  if (typeof text === 'string') return [JSON.parse(text)]
  if (type === 'tool_use' && role === undefined) return [input]
  if (args !== undefined) return [args]
  return Object.values(value).flatMap(argumentsIn)
}

const format = (schema: JsonSchema): object => ({
  type: 'json_schema',
  json_schema: { name: 'r', schema, strict: true },
})

describe.each(WIRES)('a schema that %s', (_, wire) => {
  test('takes in another form has its answer in the form of the program, whole and streamed', async () => {
    const { answer, streamed, events } = await ask(
      wire,
      { text: JSON.stringify(wire.sent) },
      { response_format: format(SCHEMA) },
    )
    for (const each of [answer, streamed]) {
      expect(JSON.parse(each.choices[0]!.message.content as string)).toEqual(VALUE)
    }
    const text = events.map((event) => (event.type === 'textDelta' ? event.text : '')).join('')
    expect(text).toBe(streamed.choices[0]!.message.content)
  })

  test('holds the arguments of a strict tool to has them in the form of the program, whole and streamed', async () => {
    const calls = [{ name: 'draw', args: wire.sent as Record<string, unknown> }]
    const tools = [{ type: 'function' as const, function: { name: 'draw', parameters: SCHEMA, strict: true } }]
    const { answer, streamed, events } = await ask(wire, { calls }, { tools })
    for (const each of [answer, streamed]) {
      const [call] = each.choices[0]!.message.tool_calls!
      expect(JSON.parse(call!.function.arguments)).toEqual(VALUE)
    }
    const pieces = events.map((event) => (event.type === 'toolCallDelta' ? event.arguments : '')).join('')
    expect(JSON.parse(pieces)).toEqual(VALUE)
  })

  test('holds the arguments of a strict tool to sends earlier calls back in the form in which they came', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'draw', parameters: SCHEMA, strict: true } }]
    const called = { name: 'draw', arguments: JSON.stringify(VALUE) }
    const history: ChatMessage[] = [
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: called }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
    ]
    const { bodies } = await ask(wire, { text: 'ok' }, { tools }, history)
    for (const body of bodies) expect(argumentsIn(body)).toEqual([wire.sent])
    expect(called.arguments).toBe(JSON.stringify(VALUE))
  })

  test('cannot answer by JSON leaves the text as it is', async () => {
    const { answer } = await ask(wire, { text: 'I cannot.' }, { response_format: format(SCHEMA) })
    expect(answer.choices[0]!.message.content).toBe('I cannot.')
  })

  test('does not hold the model to all of, it says so once', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', minLength: 3 } }, required: ['a'] }
    const { warnings, bodies } = await ask(wire, { text: '{"a":"abc"}' }, { response_format: format(schema) })
    // One request is whole, the other one a stream.
    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toMatch(
      /does not hold the model to these rules of the schemas: `minLength` at `#\/properties\/a` of the answer$/u,
    )
    expect(JSON.stringify(bodies[0])).toContain('(minLength: 3)')
  })
})

test('chat completions send earlier calls back in the form of their strict tool', async () => {
  const bodies: unknown[] = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    bodies.push(JSON.parse(init?.body as string))
    return Response.json({
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok' } }],
    })
  }
  const client = openai.createClient({ model: 'gpt-4.1', api: 'chat', apiKey: 'k', fetch })
  const called = { name: 'draw', arguments: JSON.stringify(VALUE) }
  const tools = [{ type: 'function' as const, function: { name: 'draw', parameters: SCHEMA, strict: true } }]
  for (const calls of [
    { tool_calls: [{ id: 'call_1', type: 'function' as const, function: called }] },
    { function_call: called },
  ]) {
    const messages: ChatMessage[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, ...calls },
    ]
    await client.create({ model: 'gpt-4.1', messages, tools }, {})
    expect(argumentsIn(bodies.pop())).toEqual([{ ...LISTED, note: null }])
  }
})

it('sends an answer that is one of several forms in an object, and gives what is in it', async () => {
  const schema = { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'number' }] }
  for (const [, wire] of WIRES) {
    const { answer, bodies } = await ask(wire, { text: '{"value":["a"]}' }, { response_format: format(schema) })
    expect(answer.choices[0]!.message.content).toBe('["a"]')
    expect(JSON.stringify(bodies[0])).toContain('"required":["value"]')
  }
})

it('lets tools beyond the number that Claude holds to their schemas be free, and says which', async () => {
  const tools = Array.from({ length: 22 }, (_, at) => ({
    type: 'function' as const,
    function: { name: `t${at}`, parameters: { type: 'object', properties: {} }, strict: true },
  }))
  const [, wire] = WIRES[1]!
  const { bodies, warnings } = await ask(wire, { text: 'x' }, { tools })
  const sent = bodies[0]!['tools'] as { strict?: boolean }[]
  expect(sent.filter(({ strict }) => strict === true)).toHaveLength(20)
  expect(warnings[0]).toMatch(/all of `t20`, since too many tools are strict, all of `t21`/u)
})

it('shares what Claude allows between the tools and the answer', async () => {
  const optional = (count: number): JsonSchema => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string' }])),
  })
  const tools = [{ type: 'function' as const, function: { name: 't', parameters: optional(20), strict: true } }]
  const [, wire] = WIRES[1]!
  const { bodies, answer } = await ask(
    wire,
    { text: '{"p0":"a","p9":["b"]}' },
    { tools, response_format: format(optional(10)) },
  )
  const sent = bodies[0] as { output_config: { format: { schema: { required?: string[] } } } }
  expect(sent.output_config.format.schema.required).toHaveLength(6)
  expect(answer.choices[0]!.message.content).toBe('{"p0":"a","p9":"b"}')
})

it('refuses a schema that is too large before anything is sent', async () => {
  const schema = { type: 'object', properties: { e: { enum: Array.from({ length: 1200 }, (_, at) => `v${at}`) } } }
  const [, wire] = WIRES[0]!
  await expect(ask(wire, { text: '{}' }, { response_format: format(schema) })).rejects.toMatchObject({
    code: 'model-failed',
    kind: 'invalid-request',
  })
})
