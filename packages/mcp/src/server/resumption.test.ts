import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { XEvent } from '@x/interfaces'
import { expect, it } from 'vitest'
import { mcpServer, type ServedAgent } from '../server.ts'

/** Steps of the task, each sent as progress; with its start and the result the stream has five events. */
const STEPS = 3

/** A break of a stream: when, how, and when the task goes on. */
interface Break {
  /** Number of events that the client has read. */
  readonly after: number
  readonly how: 'ends' | 'fails'
  readonly goesOn: 'meanwhile' | 'when the client is back'
}

/** Passes on a number of events of a stream, and drops the rest. */
function broken(response: Response, { after, how }: Break, onBreak: () => void): Response {
  const reader = response.body!.getReader()
  let text = ''
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) throw new Error('the stream ended before it was to break')
      const before = text.length
      text += new TextDecoder().decode(value)
      const events = [...text.matchAll(/\n\n/gu)]
      if (events.length < after) return controller.enqueue(value)
      controller.enqueue(value.slice(0, events[after - 1]!.index + 2 - before))
      if (how === 'ends') controller.close()
      else controller.error(new Error('connection reset'))
      await reader.cancel()
      onBreak()
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

const breaks: Break[] = ([1, 2, 3, 4] as const).flatMap((after) =>
  (['ends', 'fails'] as const).flatMap((how) =>
    (['meanwhile', 'when the client is back'] as const).map((goesOn) => ({ after, how, goesOn })),
  ),
)

it.each(breaks)(
  'a stream that $how after $after events goes on by the last of them, without loss or doubling, and the task $goesOn',
  async (its) => {
    const isBroken = Promise.withResolvers<void>()
    const isBack = Promise.withResolvers<void>()
    const isDone = Promise.withResolvers<void>()
    const clerk: ServedAgent = {
      name: 'clerk',
      description: 'Works.',
      create: ({ send }) => ({
        async run() {
          for (let step = 1; step <= STEPS + 1; step++) {
            if (step === its.after) await (its.goesOn === 'meanwhile' ? isBroken : isBack).promise
            if (step <= STEPS) await send({ type: 'executeFunction', funcName: `step ${step}` } as XEvent)
          }
          isDone.resolve()
          return { text: 'done', terminationReason: null }
        },
      }),
    }
    await using server = mcpServer({ name: 'ours', agents: [clerk], sessions: true })
    const { url } = await server.listen()
    const returns: (string | null)[] = []
    const passOn: typeof fetch = async (input, init) => {
      const isCall = init?.method === 'POST' && (init.body as string).includes('"tools/call"')
      const last = new Headers(init?.headers).get('last-event-id')
      if (last !== null) returns.push(last)
      // By then all messages of the task are in the buffer, since no client was connected.
      if (last !== null && its.goesOn === 'meanwhile') await isDone.promise
      const response = await fetch(input, init)
      if (last !== null) isBack.resolve()
      return isCall ? broken(response, its, () => isBroken.resolve()) : response
    }
    const reconnectionOptions = {
      ...{ initialReconnectionDelay: 1, maxReconnectionDelay: 10 },
      ...{ reconnectionDelayGrowFactor: 1, maxRetries: 50 },
    }
    const client = new OldClient({ name: 'old', version: '1' })
    const errors: string[] = []
    Object.assign(client, { onerror: ({ message }: Error) => void errors.push(message) })
    await client.connect(new OldTransport(new URL(url), { fetch: passOn, reconnectionOptions }))
    try {
      const told: unknown[] = []
      const onprogress = ({ message }: { message?: string | undefined }): void => void told.push(message)
      const call = { name: 'clerk', arguments: { task: 'Work.' } }
      const { content } = await client.callTool(call, undefined, { onprogress })
      expect(content).toEqual([{ type: 'text', text: 'done' }])
      expect(told).toEqual(['calls step 1', 'calls step 2', 'calls step 3'])
      expect(new Set(returns).size).toBe(1)
      // An unexpected or second answer would be an error.
      expect(errors.filter((error) => !error.includes('connection reset') && !error.includes('Conflict'))).toEqual([])
    } finally {
      await client.close()
    }
  },
)
