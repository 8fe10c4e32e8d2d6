import { startFakeOpenAI } from '@x/testing'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { startWireServer, type PlainReply, type WireFormat, type WireServer } from '@x/testing/wire'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import type { VendorName } from './evidence.ts'

/** Answers what `pnpm live` asks, as a capable model would. */
function replyTo(body: string): PlainReply {
  if (/possible options/iu.test(body) && !/Rating/u.test(body)) return { text: 'Option 1: take 16\nOption 2: take 10' }
  if (/Rating/u.test(body)) return { text: 'Option 1: Rating: 9\nOption 2: Rating: 8' }
  if (body.includes('2102650')) return { text: 'Paris has 2,102,650 people.' }
  if (body.includes('"population"')) return { calls: [{ name: 'population', args: { city: 'Paris' } }] }
  if (body.includes('capital of France')) return { text: '{"city":"Paris","country":"France"}' }
  return { text: body.includes('Count from one') ? 'one two three' : body.includes('coins') ? '16 + 10 = 26' : 'ready' }
}

/** A fake vendor with the addresses for `--base-url`. */
export interface FakeVendor extends AsyncDisposable {
  readonly url: string
  /** Requests so far. */
  count(): number
}

/** Starts a fake of a vendor; with `refuses`, no key is right. */
export async function startFakeVendor(vendor: VendorName, refuses: boolean = false): Promise<FakeVendor> {
  const server = await startChats(vendor, refuses)
  let count = 0
  // Vectors are answered here, and all else by the fake of the wire.
  const front = createServer((request, response) => {
    count++
    void (async () => {
      const body = await readText(request)
      if (/embed/iu.test(request.url!)) {
        response.setHeader('content-type', 'application/json')
        return response.end(JSON.stringify(vectorsFor(body)))
      }
      const answer = await fetch(new URL(request.url!, server.url), {
        method: 'POST',
        headers: headersOf(request),
        body,
      })
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type')!,
        'openai-organization': 'example-team-77',
      })
      return response.end(await answer.text())
    })()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => front.once('listening', resolve))
  const origin = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  return {
    url: vendor.startsWith('openai') ? `${origin}/v1` : origin,
    count: () => count,
    async [Symbol.asyncDispose]() {
      front.close()
      front.closeAllConnections()
      await server.close()
    },
  }
}

const FORMATS: Readonly<Partial<Record<VendorName, WireFormat>>> = {
  anthropic: anthropicFormat,
  google: googleFormat,
}

async function startChats(vendor: VendorName, refuses: boolean): Promise<Pick<WireServer, 'url' | 'close'>> {
  const format = FORMATS[vendor]
  if (format) {
    return await startWireServer(format, {
      steps: ({ body }) => (refuses ? { status: 401 } : { reply: replyTo(JSON.stringify(body)) }),
    })
  }
  const server = await startFakeOpenAI({
    replies: (request) => {
      if (refuses) return { failure: '401' }
      const { text, calls = [] } = replyTo(JSON.stringify(request))
      const tool_calls = calls.map(({ name, args }, index) => ({
        id: `call_${index}`,
        type: 'function' as const,
        function: { name, arguments: JSON.stringify(args) },
      }))
      return tool_calls.length > 0 ? { content: null, tool_calls } : text!
    },
  })
  return { url: server.url, close: async () => await server.close() }
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ['host', 'connection', 'content-length', 'accept-encoding'].includes(name) ? [] : [[name, String(value)]],
    ),
  )

function vectorsFor(text: string): object {
  const { input, requests } = JSON.parse(text) as { input?: string[]; requests?: object[] }
  const vectors = (input ?? requests!).map((_, index) => Array.from({ length: 128 }, (__, at) => (index + at) / 256))
  return input
    ? {
        model: 'v',
        data: vectors.map((embedding, index) => ({ index, embedding })),
        usage: { prompt_tokens: 4, total_tokens: 4 },
      }
    : { embeddings: vectors.map((values) => ({ values })) }
}
