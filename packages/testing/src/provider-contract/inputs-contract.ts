import type { ChatMessage, ModelParams } from '@x/interfaces'
import { withAdapter } from './adapter-case.ts'
import { collectStream } from './collect-stream.ts'
import type { CompleteContract } from './contract.ts'
import { bytesOf } from './fake-fetch.ts'
import { typeOf } from './stream-text.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'

/** Input of one request, with texts of it that must be sent. */
interface Input {
  readonly params: Partial<ModelParams>
  readonly canaries: readonly string[]
  /** True for an input that an adapter may leave out with a warning; default true. */
  readonly optional?: boolean | undefined
  /** A request whose bytes must differ. */
  readonly unlike?: Partial<ModelParams> | undefined
}

const GREETING: ChatMessage = { role: 'user', content: 'Hi' }
const FOLLOW_UP: ChatMessage = { role: 'user', content: 'And then?' }

/** A picture of one pixel. */
const IMAGE_BASE64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const CALL_MESSAGE: ChatMessage = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'call_1', type: 'function', function: { name: 'canary_called', arguments: '{"city":"canary-argument"}' } },
  ],
}
const RESULT_MESSAGE: ChatMessage = { role: 'tool', tool_call_id: 'call_1', content: 'canary-result' }

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
    params: { messages: [{ role: 'system', content: 'canary-system' }, GREETING] },
    canaries: ['canary-system'],
    optional: false,
  },
  'several system messages': {
    params: {
      messages: [{ role: 'system', content: 'canary-one' }, { role: 'system', content: 'canary-two' }, GREETING],
    },
    canaries: ['canary-one', 'canary-two'],
    optional: false,
  },
  'a later system message': {
    params: { messages: [GREETING, { role: 'system', content: 'canary-later' }, FOLLOW_UP] },
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
    params: { messages: [GREETING, { role: 'assistant', content: 'canary-said' }, FOLLOW_UP] },
    canaries: ['canary-said'],
    optional: false,
    unlike: { messages: [GREETING, { role: 'user', content: 'canary-said' }, FOLLOW_UP] },
  },
  'calls of an assistant': {
    params: { messages: [GREETING, CALL_MESSAGE, RESULT_MESSAGE] },
    canaries: ['canary_called', 'canary-argument'],
  },
  'results of tools': {
    params: { messages: [GREETING, CALL_MESSAGE, RESULT_MESSAGE, FOLLOW_UP] },
    canaries: ['canary-result', 'And then?'],
  },
  'an image of a tool': {
    params: {
      messages: [
        GREETING,
        CALL_MESSAGE,
        {
          ...RESULT_MESSAGE,
          content: [
            { type: 'text', text: 'canary-seen' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE_BASE64}` } },
          ],
        },
      ],
    },
    canaries: ['canary-seen', IMAGE_BASE64],
  },
  'an image': {
    params: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE_BASE64}` } },
          ],
        },
      ],
    },
    canaries: [IMAGE_BASE64],
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

/** A name that no provider accepts for a tool, and the form in which an adapter sends it. */
const ODD_TOOL_NAME = 'odd.canary!'
const SENT_TOOL_NAME = /odd[\w.:-]*canary[\w.:-]*/gu

/** Checks that an adapter sends every input, or leaves it out with a warning. */
export function inputsContract({ test, expect }: ContractRunner, contract: CompleteContract): void {
  const sent = async (params: Partial<ModelParams>) => await sendInput(contract, params)

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
        GREETING,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: ODD_TOOL_NAME, arguments: '{}' } }],
        },
        RESULT_MESSAGE,
      ],
      tools: [
        { type: 'function', function: { name: ODD_TOOL_NAME, description: 'Odd.', parameters: { type: 'object' } } },
      ],
    })
    for (const body of bodies) {
      expect(body).not.toContain(ODD_TOOL_NAME)
      const names = body.match(SENT_TOOL_NAME) ?? []
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

/** Sends further parameters in a complete and a streamed request; returns URLs with bodies, and topics of warnings. */
async function sendInput(
  contract: CompleteContract,
  input: Partial<ModelParams>,
): Promise<{ readonly bodies: readonly string[]; readonly topics: readonly string[] }> {
  const [{ whole, stream }] = contract.recordings as [CompleteContract['recordings'][number]]
  return await withAdapter(
    contract,
    (index) => ({
      headers: { 'content-type': index === 0 ? 'application/json' : typeOf(stream) },
      pieces: bytesOf(index === 0 ? whole : stream),
    }),
    async ({ client, params, requests }) => {
      const topics: string[] = []
      const warn = (topic: string): void => void topics.push(topic)
      const merged = { ...params, ...input }
      await client.create(merged, { warn })
      await collectStream(client, merged, undefined, warn)
      return { bodies: requests.map(({ body, url }) => `${url} ${body}`), topics }
    },
  )
}
