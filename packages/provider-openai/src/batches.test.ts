import { expect, test } from 'vitest'
import { BATCHES } from './batches.ts'

type Asked = Parameters<Parameters<typeof BATCHES.results>[2]>[0]

/** Answers questions by their path: texts with `onLine` go there line by line. */
const askOf =
  (answers: Readonly<Record<string, string>>) =>
  async ({ path, onLine }: Asked): Promise<string> => {
    const text = answers[path]!
    if (!onLine) return text
    text.split('\n').some(onLine)
    return ''
  }

const answerLine = (id: string, text: string): string =>
  JSON.stringify({ custom_id: id, response: { status_code: 200, body: { text } }, error: null })

const failureLine = (id: string): string =>
  JSON.stringify({ custom_id: id, response: null, error: { code: 'batch_expired', message: 'late' } })

test('an answer stands, in whatever order and however often its lines come', async () => {
  const ask = askOf({
    '/batches/b': JSON.stringify({ id: 'b', status: 'expired', output_file_id: 'o', error_file_id: 'e' }),
    '/files/o/content': [
      answerLine('k-2', 'two'),
      'damaged {',
      answerLine('k-0', 'zero'),
      answerLine('k-2', 'again'),
    ].join('\n'),
    '/files/e/content': [failureLine('k-0'), failureLine('k-1'), '"k-3"', answerLine('other', 'x')].join('\n'),
  })
  const results = await BATCHES.results('b', ['k-0', 'k-1', 'k-2', 'k-3'], ask)
  expect(results.get('k-0')).toEqual({ body: { text: 'zero' } })
  expect(results.get('k-2')).toEqual({ body: { text: 'two' } })
  for (const id of ['k-1', 'k-3']) expect(results.get(id)).toMatchObject({ error: { kind: 'timeout' } })
})

test('a page in place of a file of results is a failure of the question, and of no request', async () => {
  const ask = askOf({
    '/batches/b': JSON.stringify({ id: 'b', status: 'completed', output_file_id: 'o', error_file_id: null }),
    '/files/o/content': '<html>\n<body>Please log in</body>\n</html>',
  })
  await expect(BATCHES.results('b', ['k-0'], ask)).rejects.toMatchObject({ kind: 'server' })
})

test('a batch that has ended and does not say so is a failure of the question, too', async () => {
  for (const body of ['{}', '{"error":{"message":"no upstream"}}', '{"status":"in_progress"}']) {
    await expect(BATCHES.results('b', ['k-0'], askOf({ '/batches/b': body }))).rejects.toMatchObject({ kind: 'server' })
  }
})

test('a lost batch is found on later pages of the list, too, and a list without an end is left', async () => {
  const batch = (id: string, key: string): object => ({ id, metadata: { x_batch: key } })
  const page = (data: object[], has_more: boolean): string => JSON.stringify({ data, has_more })
  const ask = askOf({
    '/batches?limit=100': page([batch('b1', 'k1'), batch('b/2', 'k2')], true),
    '/batches?limit=100&after=b%2F2': page([batch('b3', 'k3')], false),
  })
  expect(await BATCHES.find('k3', ask)).toBe('b3')
  expect(await BATCHES.find('k4', ask)).toBe(null)
  expect(await BATCHES.find('k4', async () => page([batch('b1', 'k1')], true))).toBe(null)
})
