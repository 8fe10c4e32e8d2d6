import type { ChatMessage, ModelParams } from '@x/interfaces'
import { asking } from './asked.ts'
import { collected } from './collected.ts'
import type { ProviderContract } from './contract.ts'
import { bytesOf } from './fake-fetch.ts'
import { typeOf } from './stream-text.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'

/** What one request brings, and texts of it that must be sent. */
interface Input {
  readonly params: Partial<ModelParams>
  readonly canaries: readonly string[]
  /** Whether it may be left out with a warning; default true. */
  readonly optional?: boolean | undefined
  /** A request that must not be sent as the same bytes. */
  readonly unlike?: Partial<ModelParams> | undefined
}

const HI: ChatMessage = { role: 'user', content: 'Hi' }
const AND: ChatMessage = { role: 'user', content: 'And then?' }

/** Bytes of a picture. */
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const CALL: ChatMessage = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'call_1', type: 'function', function: { name: 'canary_called', arguments: '{"city":"canary-argument"}' } },
  ],
}
const RESULT: ChatMessage = { role: 'tool', tool_call_id: 'call_1', content: 'canary-result' }

const TOOL: NonNullable<ModelParams['tools']>[number] = {
  type: 'function',
  function: {
    name: 'canary_tool',
    description: 'canary-description',
    parameters: { type: 'object', properties: { canary_property: { type: 'string' } } },
  },
}

const INPUTS: Readonly<Record<string, Input>> = {
  'a system message': {
    params: { messages: [{ role: 'system', content: 'canary-system' }, HI] },
    canaries: ['canary-system'],
    optional: false,
  },
  'several system messages': {
    params: { messages: [{ role: 'system', content: 'canary-one' }, { role: 'system', content: 'canary-two' }, HI] },
    canaries: ['canary-one', 'canary-two'],
    optional: false,
  },
  'a later system message': {
    params: { messages: [HI, { role: 'system', content: 'canary-later' }, AND] },
    canaries: ['canary-later'],
    optional: false,
  },
  'texts of a user': {
    params: {
      messages: [
        { role: 'user', content: 'canary-text' },
        { role: 'user', content: [{ type: 'text', text: 'canary-part' }] },
      ],
    },
    canaries: ['canary-text', 'canary-part'],
    optional: false,
  },
  'a text of an assistant': {
    params: { messages: [HI, { role: 'assistant', content: 'canary-said' }, AND] },
    canaries: ['canary-said'],
    optional: false,
    unlike: { messages: [HI, { role: 'user', content: 'canary-said' }, AND] },
  },
  'calls of an assistant': { params: { messages: [HI, CALL, RESULT] }, canaries: ['canary_called', 'canary-argument'] },
  'results of tools': { params: { messages: [HI, CALL, RESULT, AND] }, canaries: ['canary-result', 'And then?'] },
  'an image of a tool': {
    params: {
      messages: [
        HI,
        CALL,
        {
          ...RESULT,
          content: [
            { type: 'text', text: 'canary-seen' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE}` } },
          ],
        },
      ],
    },
    canaries: ['canary-seen', IMAGE],
  },
  'an image': {
    params: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE}` } },
          ],
        },
      ],
    },
    canaries: [IMAGE],
  },
  tools: { params: { tools: [TOOL] }, canaries: ['canary_tool', 'canary-description', 'canary_property'] },
  '`tool_choice`': { params: { tools: [TOOL], tool_choice: 'none' }, canaries: [], unlike: { tools: [TOOL] } },
  '`temperature`': { params: { temperature: 0.4375 }, canaries: ['0.4375'] },
  '`temperature` of 0': { params: { temperature: 0 }, canaries: [], unlike: {} },
  '`top_p`': { params: { top_p: 0.8125 }, canaries: ['0.8125'] },
  '`max_tokens`': { params: { max_tokens: 4321 }, canaries: ['4321'] },
  '`max_completion_tokens`': { params: { max_completion_tokens: 4321 }, canaries: ['4321'] },
  '`stop` (a text)': { params: { stop: 'canary-stop' }, canaries: ['canary-stop'] },
  '`stop` (a list)': { params: { stop: ['canary-stop', 'canary-end'] }, canaries: ['canary-stop', 'canary-end'] },
}

/** A tool whose name no provider accepts, and a call of it. */
const ODD = 'odd.canary!'
const ODD_NAME = /odd[\w.:-]*canary[\w.:-]*/gu

/** Checks that every input is in what is sent; what a provider does not have is left out with a warning. */
export function inputsContract({ test, expect }: ContractRunner, contract: ProviderContract): void {
  const [{ whole, stream }] = contract.recordings as [ProviderContract['recordings'][number]]

  const sent = async (params: Partial<ModelParams>) =>
    await asking(
      contract,
      (index) => ({
        headers: { 'content-type': index === 0 ? 'application/json' : typeOf(stream) },
        pieces: bytesOf(index === 0 ? whole : stream),
      }),
      async ({ client, params: usual, requests }) => {
        const topics: string[] = []
        const warn = (topic: string): void => void topics.push(topic)
        const asked = { ...usual, ...params }
        await client.create(asked, { last: false, warn })
        await collected(client, asked, undefined, warn)
        return { bodies: requests.map(({ body, url }) => `${url} ${body}`), topics }
      },
    )

  for (const [what, { params, canaries, optional = true, unlike }] of Object.entries(INPUTS)) {
    test(`${what}: sent, complete and streamed${optional ? ', or left out with a warning' : ''}`, async () => {
      const usual = await sent({})
      const { bodies, topics } = await sent(params)
      if (optional && topics.some((topic) => !usual.topics.includes(topic))) return
      expect(bodies.length).toBe(2)
      for (const body of bodies) for (const canary of canaries) expect(body).toContain(canary)
      if (unlike) expect(bodies[0] === (await sent(unlike)).bodies[0]).toBe(false)
    })
  }

  test('a name of a tool is sent in a form of its own, the same for the tool and its calls', async () => {
    const { bodies } = await sent({
      messages: [
        HI,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: ODD, arguments: '{}' } }],
        },
        RESULT,
      ],
      tools: [{ type: 'function', function: { name: ODD, description: 'Odd.', parameters: { type: 'object' } } }],
    })
    for (const body of bodies) {
      expect(body).not.toContain(ODD)
      const names = body.match(ODD_NAME) ?? []
      expect([names.length > 1, new Set(names).size]).toEqual([true, 1])
    }
  })

  test('the model is named', async () => {
    const { model } = contract.config
    for (const body of (await sent({})).bodies) expect(body).toContain(model ?? '')
  })

  test('a request for a stream is another one than for a complete answer', async () => {
    const { bodies } = await sent({})
    expect(bodies[0] === bodies[1]).toBe(false)
  })
}
