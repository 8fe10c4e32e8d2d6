/**
 * The physical limit: a client of chat completions that is nothing but JSON and a transport. It has no retries, no checks,
 * no types, no events. The contestants `fetch`, `undici` and `http` differ in the transport only.
 */
import {
  type Ask,
  type Completion,
  completion,
  type Contestant,
  handChat,
  type MakeChat,
  makeReply,
  openaiMessages,
  OPENER,
  type Question,
  SYSTEM_A,
  SYSTEM_B,
  TOOL,
  type ToolLoopOptions,
} from './contestant.ts'

/** Sends bodies to the server. */
export interface Transport {
  post(body: string): Promise<{ readonly status: number; readonly text: string }>
  /** Calls `onBytes` with every piece that arrives. */
  sse(body: string, onBytes: (bytes: Uint8Array) => void): Promise<void>
}

const TOOLS = [
  {
    type: 'function',
    function: {
      name: TOOL.name,
      description: TOOL.description,
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'name of the city' },
          day: { type: 'integer', description: 'days from today' },
        },
        required: ['city', 'day'],
        additionalProperties: false,
      },
    },
  },
]

/** Makes a contestant of a transport; `prefix` adds a chat that keeps its history as JSON text. */
export function bare(transport: Transport, { prefix = false }: { readonly prefix?: boolean } = {}): Contestant {
  const complete = async (body: object): Promise<Completion> => {
    const { status, text } = await transport.post(JSON.stringify(body))
    if (status !== 200) throw new Error(`status ${status}`)
    return JSON.parse(text) as Completion
  }
  const call: Ask = async (question) => (await complete(bodyOf(question))).choices[0].message.content
  const chat =
    (answer: (body: { readonly model: string }) => Promise<Completion>): MakeChat =>
    ({ model }) =>
      handChat(
        [{ system: SYSTEM_A }, { system: SYSTEM_B }],
        async ({ system }, view) => {
          const body = { model, messages: [{ role: 'system', content: system }, ...view] }
          return (await answer(body)).choices[0].message.content
        },
        openaiMessages,
      )
  const fake = chat(async ({ model }) => completion(model, makeReply()))
  return {
    call,
    stream: (question, onText) => stream(transport, question, onText),
    fallback: (models) => oneAfterTheOther(models, call),
    cached: () => cached(complete),
    toolLoop: (options) => toolLoop(complete, options),
    chats: { http: chat(complete), fake, ...(prefix ? { 'http+prefix': prefixed(transport) } : {}) },
    idle: { chat: fake },
  }
}

function bodyOf({ model, system, user }: Question): { model: string; messages: object[] } {
  return {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
  }
}

async function stream(transport: Transport, question: Question, onText: (text: string) => void): Promise<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let text = ''
  const body = { ...bodyOf(question), stream: true, stream_options: { include_usage: true } }
  await transport.sse(JSON.stringify(body), (bytes) => {
    rest += decoder.decode(bytes, { stream: true })
    let from = 0
    for (let end = rest.indexOf('\n\n', from); end !== -1; end = rest.indexOf('\n\n', from)) {
      if (!rest.startsWith('[DONE]', from + 6)) {
        const chunk = JSON.parse(rest.slice(from + 6, end)) as { choices: { delta: { content?: string } }[] }
        const delta = chunk.choices[0]?.delta.content
        if (delta) {
          text += delta
          onText(delta)
        }
      }
      from = end + 2
    }
    rest = rest.slice(from)
  })
  return text
}

function oneAfterTheOther(models: readonly string[], call: Ask): Ask {
  return async ({ system, user }) => {
    let failure: unknown
    for (const model of models) {
      try {
        return await call({ model, system, user })
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }
}

type Complete = (body: object) => Promise<Completion>

function cached(complete: Complete): Ask {
  const cache = new Map<string, Completion>()
  return async (question) => {
    const body = bodyOf(question)
    const key = JSON.stringify(body)
    let hit = cache.get(key)
    if (hit === undefined) cache.set(key, (hit = await complete(body)))
    return hit.choices[0].message.content
  }
}

function toolLoop(complete: Complete, { model, onCall }: ToolLoopOptions): Ask {
  return async ({ system, user }) => {
    const { messages } = bodyOf({ model, system, user })
    for (;;) {
      const { message } = (await complete({ model, messages, tools: TOOLS })).choices[0]
      messages.push(message)
      if (message.tool_calls === undefined) return message.content
      for (const { id, function: called } of message.tool_calls) {
        onCall()
        const content = TOOL.run(JSON.parse(called.arguments) as { city: string; day: number })
        messages.push({ role: 'tool', tool_call_id: id, content })
      }
    }
  }
}

/** A chat with the history kept as JSON text, so that a turn writes one message instead of all. */
function prefixed(transport: Transport): MakeChat {
  return ({ model }) => {
    const start = (content: string): string =>
      `{"model":${JSON.stringify(model)},"messages":[${JSON.stringify({ role: 'system', content })}`
    const views: [string, string] = [start(SYSTEM_A), start(SYSTEM_B)]
    const add = (side: 0 | 1, role: string, text: string): void => {
      views[side] += `,{"role":"${role}","content":${text}}`
    }
    let turns = 0
    const chat = {
      views,
      async run(n: number) {
        let text = OPENER
        add(0, 'user', JSON.stringify(text))
        add(1, 'assistant', JSON.stringify(text))
        for (; turns < n; turns++) {
          const me = turns % 2 === 0 ? 0 : 1
          const answer = await transport.post(`${views[me]}]}`)
          if (answer.status !== 200) throw new Error(`status ${answer.status}`)
          text = (JSON.parse(answer.text) as Completion).choices[0].message.content
          const quoted = JSON.stringify(text)
          add(me, 'assistant', quoted)
          add(me === 0 ? 1 : 0, 'user', quoted)
        }
        return { turns, messages: turns + 1, last: text }
      },
    }
    return chat
  }
}
