import { expect, test } from 'vitest'
import { createHttpWire } from './http-wire.ts'

test('a header of the config wins whatever its case, and is sent once; a key loses the white space around it', async () => {
  const sent: RequestInit[] = []
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    sent.push(init!)
    return Response.json({})
  }
  for (const defaultHeaders of [{ Authorization: 'mine', ACCEPT: 'x' }, undefined]) {
    const wire = createHttpWire({
      config: { model: 'm', apiKey: ' key-1\n', fetch, defaultHeaders },
      url: () => 'http://p.invalid',
      authorize: (key) => ({ Authorization: `Bearer ${key}` }),
    })
    await wire.complete({ model: 'm', body: {}, headers: { 'X-Beta': 'b' } }, { signal: new AbortController().signal })
  }
  const common = { 'content-type': 'application/json', 'x-beta': 'b' }
  expect(sent.map(({ headers }) => headers)).toEqual([
    { ...common, accept: 'x', authorization: 'mine' },
    { ...common, accept: 'application/json', authorization: 'Bearer key-1' },
  ])
})
