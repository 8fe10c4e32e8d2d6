import { modelFailure } from '@x/provider-kit'
import { describe, expect, test } from 'vitest'
import { createAnthropic } from './anthropic.ts'
import { BATCHES } from './batches.ts'

type Asked = Parameters<Parameters<typeof BATCHES.find>[1]>[0]

const PATH = '/v1/messages/batches'

const ended = (id: string, more: object = {}): object => ({ id, processing_status: 'ended', ...more })

/** Finds a batch among some, newest first; `results` has the text of the results of each, or an error. */
async function find(
  batches: readonly object[],
  results: Readonly<Record<string, string | Error>>,
): Promise<{ readonly found: string | null | undefined; readonly lines: number }> {
  let lines = 0
  const ask = async ({ path, onLine }: Asked): Promise<string> => {
    if (path.startsWith(`${PATH}?`)) return JSON.stringify({ data: batches })
    const text = results[path.slice(PATH.length + 1).replace('/results', '')]
    if (text === undefined) throw new Error(`nobody should ask for ${path}`)
    if (text instanceof Error) throw text
    text.split('\n').some((line) => {
      lines++
      return onLine!(line)
    })
    return ''
  }
  return { found: await BATCHES.find('key', ask), lines }
}

const lineOf = (id: string): string => JSON.stringify({ custom_id: id, result: { type: 'expired' } })

describe('a batch is found', () => {
  test('by its first result, whatever the others are', async () => {
    const mine = [lineOf('key-1'), lineOf('key-0')].join('\n')
    const other = [lineOf('other-0'), lineOf('other-1')].join('\n')
    expect(await find([ended('a'), ended('b')], { a: other, b: mine })).toEqual({ found: 'b', lines: 2 })
  })

  test('beside others whose results are gone', async () => {
    const batches = [ended('old', { archived_at: '2026-01-01T00:00:00Z' }), ended('gone'), ended('b')]
    const gone = modelFailure('not-found', 'no results', { status: 404 })
    expect((await find(batches, { gone, b: lineOf('key-0') })).found).toBe('b')
    expect((await find(batches.slice(0, 2), { gone })).found).toBe(null)
  })

  test('later where the results of another fail', async () => {
    const broken = modelFailure('server', 'oh', { status: 500 })
    await expect(find([ended('a'), ended('b')], { a: broken })).rejects.toMatchObject({ kind: 'server' })
  })
})

test('the betas of all requests stand in the header of the batch', async () => {
  const sent: (string | null)[] = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(new Headers(init?.headers).get('anthropic-beta'))
    return Response.json({ id: 'b' })
  }
  const submit = async (config: object, ...params: object[]): Promise<string> => {
    const client = createAnthropic({ fetch }).createClient({ model: 'claude-opus-5', apiKey: 'k', ...config })
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    return await client.batches!.submit(
      params.map((more) => ({ messages, ...more })),
      'key',
      {},
    )
  }
  expect(await submit({ betas: 'b', defaultHeaders: { 'Anthropic-Beta': 'a' } }, {}, { betas: ['c', 'b'] })).toBe('b')
  await submit({}, {})
  expect(sent).toEqual(['a,b,c', null])
})

test('an answer stands, however often lines for its request come', async () => {
  const answer = { custom_id: 'key-0', result: { type: 'succeeded', message: { id: 'm' } } }
  const ask = async ({ onLine }: Asked): Promise<string> => {
    for (const line of [answer, { custom_id: 'key-0', result: { type: 'canceled' } }]) onLine!(JSON.stringify(line))
    return ''
  }
  expect((await BATCHES.results('a', ['key-0'], ask)).get('key-0')).toEqual({ body: { id: 'm' } })
})

test('a lost batch is found on later pages of the list, too, and a list without an end is left', async () => {
  const asked: string[] = []
  const ask = async ({ path, onLine }: Asked): Promise<string> => {
    asked.push(path)
    if (onLine) onLine(lineOf(path.includes('/b/2/') || path.includes('b%2F2') ? 'key-0' : 'other-0'))
    if (path.endsWith('after_id=a%2F1'))
      return JSON.stringify({ data: [ended('b/2')], has_more: false, last_id: 'b/2' })
    return JSON.stringify({ data: [ended('a/1')], has_more: true, last_id: 'a/1' })
  }
  expect(await BATCHES.find('key', ask)).toBe('b/2')
  expect(asked[0]).toBe(`${PATH}?limit=1000`)
  const open = { id: 'o', processing_status: 'in_progress' }
  const endless = async (): Promise<string> => JSON.stringify({ data: [open], has_more: true, last_id: 'o' })
  expect(await BATCHES.find('key', endless)).toBe(undefined)
})
