import { expect, test } from 'vitest'
import { BATCHES } from './batches.ts'

/** Reads the results of a batch that has ended with these. */
async function resultsOf(responses: readonly object[], ids: readonly string[], state = 'SUCCEEDED') {
  const operation = {
    done: true,
    metadata: { state: `BATCH_STATE_${state}` },
    response: { inlinedResponses: responses },
  }
  const ask = async (): Promise<string> => JSON.stringify(operation)
  return await BATCHES.results('batches/1', ids, ask)
}

const response = (text: string): object => ({ response: { text } })
const keyed = (key: string, text: string): object => ({ ...response(text), metadata: { key } })

test('a result without a key is that of its place, unless another has the key of the place', async () => {
  const ids = ['k-0', 'k-1', 'k-2']
  const inOrder = await resultsOf([response('zero'), keyed('k-1', 'one'), response('two')], ids)
  expect(ids.map((id) => inOrder.get(id))).toEqual(['zero', 'one', 'two'].map((text) => ({ body: { text } })))
  const others = await resultsOf([keyed('k-1', 'one'), response('whose?'), keyed('k-0', 'zero')], ids)
  expect(ids.map((id) => others.get(id))).toMatchObject([
    { body: { text: 'zero' } },
    { body: { text: 'one' } },
    { error: { kind: 'server' } },
  ])
})

test('a result that was cancelled, or has another error, says so', async () => {
  const failed = (code: number): object => ({ error: { code, message: 'oh' } })
  const results = await resultsOf([failed(1), failed(4), failed(9), failed(99)], ['a', 'b', 'c', 'd'], 'CANCELLED')
  expect([...results.values()]).toMatchObject([
    { error: { kind: 'aborted' } },
    { status: 504 },
    { status: 400 },
    { status: 500 },
  ])
})

test('a batch that has ended and does not say so is a failure of the question', async () => {
  for (const body of ['{}', '{"error":{"message":"no upstream"}}', '{"metadata":{"state":"JOB_STATE_RUNNING"}}']) {
    await expect(BATCHES.results('batches/1', ['a'], async () => body)).rejects.toMatchObject({ kind: 'server' })
  }
})

test('a lost batch is found on later pages of the list, too, and a list without an end is left', async () => {
  const page = (key: string, nextPageToken?: string): string =>
    JSON.stringify({ operations: [{ name: `batches/${key}`, metadata: { displayName: key } }], nextPageToken })
  const pages = new Map([
    ['/batches?pageSize=100', page('k1', 'a/b')],
    ['/batches?pageSize=100&pageToken=a%2Fb', page('k2')],
  ])
  const ask = async ({ path }: { path: string }): Promise<string> => pages.get(path)!
  expect(await BATCHES.find('k2', ask)).toBe('batches/k2')
  expect(await BATCHES.find('k3', ask)).toBe(null)
  expect(await BATCHES.find('k3', async () => page('k1', 'a'))).toBe(null)
})
