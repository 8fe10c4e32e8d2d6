import type { Model } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { OpenAI } from 'openai'
import { measure, report } from './measure.ts'

const messages = [{ role: 'user' as const, content: 'Say hello.' }]
const body = { model: 'gpt-4o-mini', messages }

/** Calls against a server that answers at once: this library beside the bare SDK with the platform's `fetch`. */
export async function benchCalls(baseUrl: string): Promise<void> {
  const sdk = new OpenAI({ apiKey: 'k', baseURL: baseUrl, maxRetries: 0 })
  const entry = { model: 'gpt-4o-mini', apiKey: 'key-for-the-bench', baseUrl }
  const config = llmConfig({ providers: [openai], cacheSeed: null, configList: [entry] })
  const model = config.createModel()
  await benchWhole(sdk, model)
  await benchStreams(sdk, model, config.with({ configList: [{ ...entry, model: 'slow' }] }).createModel())
  await benchFailover(sdk, config.with({ configList: [{ ...entry, model: 'broken' }, entry] }).createModel())
}

/** Complete answers: one call after another, blocking calls, and 64 calls at once. */
async function benchWhole(sdk: OpenAI, model: Model): Promise<void> {
  const one = await measure(
    {
      bare: () => times(200, () => sdk.chat.completions.create(body)),
      ours: () => times(200, () => model.create({ messages })),
      sync: () => {
        for (let i = 0; i < 200; i++) model.createSync({ messages })
      },
    },
    { units: 200 },
  )
  report(
    'call, processor time / bare',
    one.ours.cpu / one.bare.cpu,
    '<= 0.70',
    `${us(one.ours.cpu)} / ${us(one.bare.cpu)}`,
  )
  report(
    'blocking call, clock / async',
    one.sync.wall / one.ours.wall,
    '',
    `${us(one.sync.wall)} / ${us(one.ours.wall)}`,
  )

  const many = await measure(
    {
      bare: () => atOnce(1024, 64, () => sdk.chat.completions.create(body)),
      ours: () => atOnce(1024, 64, () => model.create({ messages })),
    },
    { units: 1024 },
  )
  report(
    '64 in flight, calls per second / bare',
    many.bare.wall / many.ours.wall,
    '>= 2.00',
    `${us(many.ours.wall)} / ${us(many.bare.wall)} per call`,
  )
}

/** Streams, with many chunks in a packet and with one. */
async function benchStreams(sdk: OpenAI, model: Model, slow: Model): Promise<void> {
  const bareStream = async (request: typeof body): Promise<void> => {
    for await (const _ of await sdk.chat.completions.create({ ...request, stream: true }));
  }
  const ourStream = async (of: Model): Promise<void> => {
    for await (const _ of of.createStream({ messages }));
  }
  for (const [name, request, of] of [
    ['streamed chunk', body, model],
    ['streamed chunk, one per packet', { ...body, model: 'slow' }, slow],
  ] as const) {
    const streams = await measure(
      { bare: () => times(10, () => bareStream(request)), ours: () => times(10, () => ourStream(of)) },
      { units: 10 * 502 },
    )
    report(
      `${name}, processor time / bare`,
      streams.ours.cpu / streams.bare.cpu,
      '<= 0.80',
      `${us(streams.ours.cpu)} / ${us(streams.bare.cpu)}`,
    )
  }
}

/** A call that fails, and the next config that answers. */
async function benchFailover(sdk: OpenAI, failing: Model): Promise<void> {
  const bareFailover = async (): Promise<void> => {
    try {
      await sdk.chat.completions.create({ ...body, model: 'broken' })
    } catch {
      await sdk.chat.completions.create(body)
    }
  }
  const failovers = await measure(
    { bare: () => times(100, bareFailover), ours: () => times(100, () => failing.create({ messages })) },
    { units: 100 },
  )
  report(
    'failover, processor time / bare',
    failovers.ours.cpu / failovers.bare.cpu,
    '<= 0.80',
    `${us(failovers.ours.cpu)} / ${us(failovers.bare.cpu)}`,
  )
}

const times = async (n: number, call: () => Promise<unknown>): Promise<void> => {
  for (let i = 0; i < n; i++) await call()
}
const atOnce = async (n: number, width: number, call: () => Promise<unknown>): Promise<void> => {
  await Promise.all(Array.from({ length: width }, () => times(n / width, call)))
}

const us = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} µs`
