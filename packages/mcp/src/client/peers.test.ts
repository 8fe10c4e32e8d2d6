import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server'
import type { Io } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mcp, type McpConnection } from '../index.ts'
import { listenOn } from '@x/kernel/node-http'

/** A running server of one kind. */
interface Peer extends AsyncDisposable {
  readonly url: string
}

const text = (value: string): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: value }],
})

/** A server by version 2 of the SDK: the newest protocol, one server for each request. */
async function newPeer(): Promise<Peer> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'new', version: '2' })
    server.registerTool(
      'add',
      {
        description: 'Adds.',
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        annotations: { readOnlyHint: true },
      },
      ({ a, b }) => text(String(a + b)),
    )
    server.registerTool('count', { description: 'Counts.' }, async (ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken
      if (progressToken !== undefined) {
        await ctx.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 2, message: 'half' },
        })
      }
      return text(JSON.stringify(ctx.mcpReq._meta?.['x/key'] ?? null))
    })
    server.registerTool('colour', { description: 'Asks.' }, (ctx) => {
      const answer = acceptedContent<{ colour: string }>(ctx.mcpReq.inputResponses, 'colour')
      if (answer) return text(`You like ${answer.colour}.`)
      if (ctx.mcpReq.inputResponses) return text('You do not say.')
      const requestedSchema = {
        type: 'object',
        properties: { colour: { type: 'string', enum: ['red', 'blue'] } },
        required: ['colour'],
      } as const
      return inputRequired({
        inputRequests: { colour: inputRequired.elicit({ message: 'Which colour?', requestedSchema } as never) },
      })
    })
    return server
  })
  const server = await listenOn(async (request) => await handler.fetch(request), { port: 0, host: '127.0.0.1' })
  return { url: `${server.url}/mcp`, [Symbol.asyncDispose]: async () => (await handler.close(), await server.close()) }
}

function oldServer(): OldServer {
  const server = new OldServer({ name: 'old', version: '1' })
  server.registerTool(
    'add',
    { description: 'Adds.', inputSchema: { a: z.number(), b: z.number() }, annotations: { readOnlyHint: true } },
    ({ a, b }) => text(String(a + b)),
  )
  server.registerTool('count', { description: 'Counts.' }, async ({ _meta, sendNotification }) => {
    if (_meta?.progressToken !== undefined) {
      const { progressToken } = _meta
      await sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 2, message: 'half' },
      })
    }
    return text(JSON.stringify(_meta?.['x/key'] ?? null))
  })
  server.registerTool('colour', { description: 'Asks.' }, async () => {
    const { action, content } = await server.server.elicitInput({
      message: 'Which colour?',
      requestedSchema: {
        type: 'object',
        properties: { colour: { type: 'string', enum: ['red', 'blue'] } },
        required: ['colour'],
      },
    })
    return text(action === 'accept' ? `You like ${String(content?.['colour'])}.` : 'You do not say.')
  })
  return server
}

/** A server by version 1 of the SDK, with sessions, or with server-sent events only. */
async function oldPeer(events: boolean): Promise<Peer> {
  const streams = new Map<string, StreamableHTTPServerTransport>()
  const channels = new Map<string, SSEServerTransport>()
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url!, 'http://localhost')
      if (events) {
        if (request.method === 'GET' && url.pathname === '/mcp') {
          const channel = new SSEServerTransport('/messages', response)
          channels.set(channel.sessionId, channel)
          return await oldServer().connect(channel)
        }
        const channel = channels.get(url.searchParams.get('sessionId') ?? '')
        if (channel) return await channel.handlePostMessage(request, response)
        return void response.writeHead(404).end()
      }
      const id = request.headers['mcp-session-id']
      let stream = typeof id === 'string' ? streams.get(id) : undefined
      if (!stream && id === undefined) {
        const created = new StreamableHTTPServerTransport({
          sessionIdGenerator: () => globalThis.crypto.randomUUID(),
          onsessioninitialized: (its) => void streams.set(its, created),
        })
        stream = created
        await oldServer().connect(created)
      }
      if (!stream) return void response.writeHead(404).end('Session not found')
      await stream.handleRequest(request, response)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const peers: [string, string, () => Promise<Peer>][] = [
  ['the newest protocol', '2026-07-28', newPeer],
  ['sessions', '2025-11-25', async () => await oldPeer(false)],
  ['server-sent events alone', '2025-11-25', async () => await oldPeer(true)],
]

/** Types lines in answer to prompts. */
function typist(...lines: string[]): Pick<Io, 'input'> & { readonly prompts: string[] } {
  const prompts: string[] = []
  return { prompts, input: (prompt) => (prompts.push(prompt), lines.shift() ?? '') }
}

describe.each(peers)('a server that speaks %s', (_, version, start) => {
  const use = async (check: (its: McpConnection) => Promise<void>, elicitation = false): Promise<void> => {
    await using peer = await start()
    await using its = await mcp({ name: 's', url: peer.url, elicitation })
    await check(its)
  }

  it('is connected to, and its tools are called', async () => {
    await use(async (its) => {
      expect(its.info?.protocolVersion).toBe(version)
      expect(its.definitions.map(({ name, readOnly }) => [name, readOnly])).toEqual([
        ['s__add', true],
        ['s__count', false],
        ['s__colour', false],
      ])
      expect((await its.callTool('add', { a: 1, b: 2 })).text).toBe('3')
      expect((await its.callTool('add', { a: 'one' })).isError).toBe(true)
    })
  })

  it('sends progress, and gets the key of the call', async () => {
    await use(async (its) => {
      const events: unknown[] = []
      const [count] = its.tools({ allow: ['count'] })
      const context = { run: undefined, key: 'run/7', callId: 'c', emit: (event: unknown) => void events.push(event) }
      expect(await count!.execute({}, context)).toBe('"run/7"')
      const call = { type: 'toolProgress', agent: null, source: 's', name: 's__count', callId: 'c' }
      expect(events).toEqual([{ ...call, progress: 1, total: 2, message: 'half' }])
    })
  })

  it('asks the person of the agent if the program allows it', async () => {
    const ask = async (its: McpConnection, io: Pick<Io, 'input'>): Promise<unknown> =>
      await its.tools({ allow: ['colour'] })[0]!.execute({}, { run: undefined, key: 'k', io })
    await use(async (its) => {
      const io = typist('yes', 'green', 'blue')
      expect(await ask(its, io)).toBe('You like blue.')
      expect(io.prompts).toEqual([
        'The MCP server `s` asks: Which colour?\nAnswer it? (yes, no): ',
        'colour (one of red, blue): ',
        'colour (one of red, blue): ',
      ])
      expect(await ask(its, typist('no'))).toBe('You do not say.')
    }, true)
    await use(async (its) => {
      const io = typist('yes')
      await expect(ask(its, io)).rejects.toMatchObject({
        code: expect.stringMatching(/tool-failed|server-refused/u) as unknown,
      })
      expect(io.prompts).toEqual([])
    })
  })
})
