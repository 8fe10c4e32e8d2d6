import { isXError } from '@x/kernel'
import { describe, expect, it } from 'vitest'
import { mcp } from '../index.ts'
import { HANDLED, RawServer, type Exchange } from './raw-server.fake.ts'

const METHODS = ['server/discover', 'initialize', 'notifications/initialized', 'tools/list', 'tools/call']

const FAULTS: Record<string, (exchange: Exchange, id: unknown) => void> = {
  'breaks off': ({ request }) => void request.socket.destroy(),
  'says nothing': () => {},
  'answers with half of an answer': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"jsonrpc"')
    setImmediate(() => response.destroy())
  },
  'answers with nonsense': ({ response }) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('nonsense'),
  'answers with a page': ({ response }) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  'answers with another shape': ({ response }, id) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: 'none', content: 7, protocolVersion: [] } })),
  'answers another request': ({ response }) =>
    void response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 'other', result: {} })}\n\n`),
  'answers with an error': ({ response }, id) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'no' } })),
  'is busy': ({ response }) => void response.writeHead(503).end('later'),
  'knows nothing': ({ response }) => void response.writeHead(404).end('what?'),
}

describe.each(METHODS)('a server that at %s', (method) => {
  it.each(Object.keys(FAULTS))('%s', async (fault) => {
    let isFaulty = method !== 'tools/call'
    const before = process.getActiveResourcesInfo().length
    await using server = await RawServer.start({
      sessions: true,
      on: {
        [method]: ({ id }, exchange) => (isFaulty ? (FAULTS[fault]!(exchange, id), HANDLED) : undefined),
        ...(method === 'tools/call' && {
          'tools/call': ({ id }, exchange) =>
            isFaulty ? (FAULTS[fault]!(exchange, id), HANDLED) : { content: [{ type: 'text', text: 'well' }] },
        }),
      },
    })
    const its = await mcp({ name: 's', url: server.url, connectTimeout: 0.5 }).catch((error: unknown) => error)
    if (its instanceof Error) {
      expect(isXError(its)).toBe(true)
    } else {
      const connection = its as Awaited<ReturnType<typeof mcp>>
      isFaulty = method === 'tools/call'
      if (isFaulty) {
        const stop = new AbortController()
        const called = connection.callTool('echo', {}, stop).catch((error: unknown) => error)
        if (fault === 'says nothing') {
          while (server.calls.length === 0) await new Promise(setImmediate)
          stop.abort()
        }
        expect(isXError(await called)).toBe(true)
        expect(server.calls).toHaveLength(fault === 'knows nothing' ? 2 : 1)
        isFaulty = false
        expect((await connection.callTool('echo')).text).toBe('well')
      }
      await connection.close()
    }
    while ((await server.connections()) > 0) await new Promise(setImmediate)
    await server.down()
    while (process.getActiveResourcesInfo().length > before) await new Promise(setImmediate)
  })
})
