import { Anthropic } from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { GoogleGenerativeAI } from '@google/generative-ai'
import type { ModelClient } from '@x/interfaces'
import { measure, report } from '@x/model-e2e/measure'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

// Processor time per call and per streamed chunk of each adapter, as a ratio to the bare SDK in the same run.
const server = new Worker(new URL('answer-server.ts', import.meta.url))
const [baseUrl] = (await once(server, 'message')) as [string]
const CALLS_PER_ROUND = 40
const STREAMS_PER_ROUND = 5
const CHUNKS_PER_STREAM = 400

const question = 'What is the weather?'
const messages = [{ role: 'user' as const, content: question }]
const contents = [{ role: 'user', parts: [{ text: question }] }]

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) await work()
}

async function drained(client: ModelClient): Promise<void> {
  const events = client.stream!({ messages }, {})
  for (;;) if ((await events.next()).done) return
}

interface Pair {
  readonly name: string
  readonly client: ModelClient
  readonly bareCall: () => Promise<unknown>
  readonly bareStream: () => Promise<unknown>
}

const sdk = new Anthropic({ apiKey: 'key', baseURL: baseUrl, maxRetries: 0, logLevel: 'off' })
const bareRequest = {
  model: 'claude-opus-5',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: question }],
}
const older = new GoogleGenerativeAI('key').getGenerativeModel({ model: 'gemini-2.5-flash' }, { baseUrl })
const newer = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl } })
const bareOlder = {
  bareCall: async () => (await older.generateContent({ contents })).response.text(),
  bareStream: async () => {
    const { stream, response } = await older.generateContentStream({ contents })
    for await (const chunk of stream) chunk.text()
    await response
  },
}
const googleClient = (name: string): ModelClient =>
  google.createClient({ model: 'gemini-2.5-flash', apiKey: 'key', baseUrl, sdk: name })

const pairs: readonly Pair[] = [
  {
    name: 'anthropic',
    client: anthropic.createClient({ model: 'claude-opus-5', apiKey: 'key', baseUrl }),
    bareCall: async () => await sdk.messages.create(bareRequest),
    bareStream: async () => {
      for await (const _ of await sdk.messages.create({ ...bareRequest, stream: true }));
    },
  },
  { name: 'google (generative-ai)', client: googleClient('generative-ai'), ...bareOlder },
  {
    name: 'google (genai)',
    client: googleClient('genai'),
    bareCall: async () => (await newer.models.generateContent({ model: 'gemini-2.5-flash', contents })).text,
    bareStream: async () => {
      for await (const chunk of await newer.models.generateContentStream({ model: 'gemini-2.5-flash', contents }))
        void chunk.text
    },
  },
  { name: 'google (fetch), beside generative-ai', client: googleClient('fetch'), ...bareOlder },
]

for (const { name, client, bareCall, bareStream } of pairs) {
  const call = await measure(
    {
      ours: () => times(CALLS_PER_ROUND, async () => await client.create({ messages }, {})),
      bare: () => times(CALLS_PER_ROUND, bareCall),
    },
    { units: CALLS_PER_ROUND, warm: 40 },
  )
  const stream = await measure(
    { ours: () => times(STREAMS_PER_ROUND, () => drained(client)), bare: () => times(STREAMS_PER_ROUND, bareStream) },
    { units: STREAMS_PER_ROUND * CHUNKS_PER_STREAM, warm: 40 },
  )
  report(
    `${name}: call`,
    call.ours.cpu / call.bare.cpu,
    '<= 0.9',
    `${call.ours.cpu.toFixed(0)} µs, bare ${call.bare.cpu.toFixed(0)}`,
  )
  report(
    `${name}: chunk`,
    stream.ours.cpu / stream.bare.cpu,
    '<= 0.9',
    `${stream.ours.cpu.toFixed(2)} µs, bare ${stream.bare.cpu.toFixed(2)}`,
  )
}
await server.terminate()
