import { type JSONRPCMessage, Server } from '@modelcontextprotocol/server'
import { expect, it } from 'vitest'
import { EventBuffer, Sessions } from './sessions.ts'

const message = (text: string): JSONRPCMessage => ({ jsonrpc: '2.0', method: 'm', params: { text } })

/** Returns the identifiers of the messages that are replayed after an event. */
async function replayed(buffer: EventBuffer, last: string, during: () => Promise<unknown> = async () => {}) {
  const ids: string[] = []
  const stream = await buffer.replayEventsAfter(last, {
    send: async (id) => {
      ids.push(id)
      await during()
    },
  })
  return { ids, stream }
}

it('replays the messages after an event, of its stream only', async () => {
  const buffer = new EventBuffer()
  for (const stream of ['a', 'b', 'a', 'b', 'a']) await buffer.storeEvent(stream, message(stream))
  expect(await replayed(buffer, '1')).toEqual({ ids: ['3', '5'], stream: 'a' })
  expect(await replayed(buffer, '5')).toEqual({ ids: [], stream: 'a' })
  expect(await buffer.getStreamIdForEventId('4')).toBe('b')
})

it('loses no message that arrives during the replay', async () => {
  const buffer = new EventBuffer()
  for (const stream of ['a', 'a']) await buffer.storeEvent(stream, message(stream))
  let more = 2
  const during = async (): Promise<void> => {
    if (more-- > 0) await buffer.storeEvent('a', message('late'))
  }
  expect(await replayed(buffer, '1', during)).toEqual({ ids: ['2', '3', '4'], stream: 'a' })
})

it('keeps a limited number of events and characters, and always the last event', async () => {
  const many = new EventBuffer()
  for (let n = 0; n < 1100; n++) await many.storeEvent('a', message(''))
  expect([await many.getStreamIdForEventId('100'), await many.getStreamIdForEventId('101')]).toEqual([undefined, 'a'])
  expect(await replayed(many, '100')).toEqual({ ids: [], stream: '' })
  const large = new EventBuffer()
  for (const length of [5, 4, 9]) await large.storeEvent('a', message('x'.repeat(length * 2 ** 20)))
  const known = await Promise.all(['1', '2', '3', 'x', '03'].map(async (id) => await large.getStreamIdForEventId(id)))
  expect(known).toEqual([undefined, undefined, 'a', undefined, undefined])
})

it('lets no caller end the sessions of others', async () => {
  const create = (): Server => new Server({ name: 's', version: '1' }, { capabilities: {} })
  const sessions = new Sessions(create, 10_000, 3)
  const send = async (caller: string, id: string | null, method: string, params: object): Promise<Response> => {
    const headers = {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...(id !== null && { 'mcp-session-id': id, 'mcp-protocol-version': '2025-06-18' }),
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const request = new Request('http://localhost/', { method: 'POST', headers, body })
    return await sessions.handle(request, { token: '', clientId: caller, scopes: [] })
  }
  const begin = async (caller: string): Promise<string> => {
    const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    const response = await send(caller, null, 'initialize', client)
    expect(response.status).toBe(200)
    return response.headers.get('mcp-session-id')!
  }
  const lives = async (caller: string, id: string): Promise<boolean> =>
    (await send(caller, id, 'ping', {})).status === 200
  const quiet = await begin('quiet')
  const greedy: string[] = []
  for (let n = 0; n < 5; n++) greedy.push(await begin('greedy'))
  expect(await lives('quiet', quiet)).toBe(true)
  expect(await Promise.all(greedy.map(async (id) => await lives('greedy', id)))).toEqual([
    false,
    false,
    false,
    true,
    true,
  ])
  await sessions.close()
})
