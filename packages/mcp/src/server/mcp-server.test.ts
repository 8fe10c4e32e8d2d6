import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Io, RunTracer, Tool, TraceContext } from '@x/interfaces'
import { contentOfResult, toolContent } from '@x/kernel/tool-content'
import { describe, expect, it } from 'vitest'
import { mcp, type McpResult } from '../index.ts'
import { mcpServer, type McpServer, type McpServerOptions, type ServedAgent } from '../server.ts'

const seen: { args: unknown; key: string }[] = []

const echo: Tool<{ text: string }> = {
  name: 'echo',
  description: 'Says the same.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  validate: (args) =>
    typeof (args as { text?: unknown }).text === 'string'
      ? { value: args }
      : { issues: [{ path: ['text'], message: 'must be a text' }] },
  execute: (args, { key }) => (seen.push({ args, key }), args.text),
}
const pay: Tool<{ euros: number }> = {
  name: 'pay',
  description: 'Pays.',
  parameters: { type: 'object', properties: { euros: { type: 'number' } } },
  needsApproval: ({ euros }) => Number(euros) > 10,
  execute: ({ euros }, { key }) => (seen.push({ args: euros, key }), `paid ${euros}`),
}
const bad: Tool = {
  name: 'bad',
  description: 'Fails.',
  parameters: { type: 'object' },
  execute: () => {
    throw new Error('the password is hunter2-hunter2')
  },
}

const options = (more: Partial<McpServerOptions> = {}): McpServerOptions => ({
  name: 'ours',
  tools: [echo, pay, bad] as Tool[],
  ...more,
})

/** Calls a tool as a client of the newest protocol that can ask a person. */
async function callWithoutSession(server: McpServer, name: string, params: object): Promise<Record<string, unknown>> {
  const version = '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  }
  const response = await server.fetch(
    new Request('http://localhost/', {
      method: 'POST',
      headers: {
        host: 'localhost',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': version,
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, _meta: meta, ...params } }),
    }),
  )
  const text = await response.text()
  const message = JSON.parse(/^data: (.*)$/mu.exec(text)?.[1] ?? text) as { result?: Record<string, unknown> }
  if (!message.result) throw new Error(text)
  return message.result
}

/** Types lines in answer to questions. */
const typist = (...lines: string[]): Pick<Io, 'input'> => ({ input: () => lines.shift() ?? '' })

describe('the trace of a call', () => {
  const PARENT = `00-${'4'.repeat(32)}-${'5'.repeat(16)}-01`
  const OTHER = `00-${'6'.repeat(32)}-${'7'.repeat(16)}-01`

  /** Calls a served agent with `_meta` and headers; returns the contexts with which its runs begin. */
  const contextsOf = async (
    meta: Record<string, unknown> | undefined,
    headers: Record<string, string> = {},
    isTraced = true,
  ): Promise<(TraceContext | undefined)[]> => {
    const begun: (TraceContext | undefined)[] = []
    const trace = { takes: new Set<never>(), propagates: false, take() {}, contextOf: () => undefined }
    const tracer: RunTracer = { begin: (context) => (begun.push(context), trace) }
    const served = {
      ...{ name: 'ask', description: 'Asks.' },
      create: () => ({
        async run(_task: string, { tracer: its }: { readonly tracer?: RunTracer | undefined }) {
          its?.begin()
          return { text: its ? 'traced' : 'alone', terminationReason: null }
        },
      }),
    }
    await using server = mcpServer({ name: 'ours', agents: [served], ...(isTraced && { tracer }) })
    const { url } = await server.listen()
    const client = new OldClient({ name: 'old', version: '1' })
    await client.connect(new OldTransport(new URL(url), { requestInit: { headers } }))
    try {
      const { content } = await client.callTool({ name: 'ask', arguments: { task: 'q' }, ...(meta && { _meta: meta }) })
      expect(content).toMatchObject([{ text: isTraced ? 'traced' : 'alone' }])
    } finally {
      await client.close()
    }
    return begun
  }

  it('is that of its `_meta`, or else of the headers of its request', async () => {
    const meta = { traceparent: PARENT, tracestate: 'acme=1' }
    expect(await contextsOf(meta)).toEqual([meta])
    expect(await contextsOf(undefined, { traceparent: OTHER, tracestate: 'b=2' })).toEqual([
      { traceparent: OTHER, tracestate: 'b=2' },
    ])
    expect(await contextsOf({ traceparent: PARENT }, { traceparent: OTHER, tracestate: 'b=2' })).toEqual([
      { traceparent: PARENT },
    ])
    expect(await contextsOf(undefined)).toEqual([undefined])
    expect(await contextsOf(meta, {}, false)).toEqual([])
  })

  it.each([
    ['a number', { traceparent: 5 }],
    ['an object', { traceparent: { toString: () => PARENT } }],
    ['a list', { traceparent: [PARENT] }],
    ['very long', { traceparent: `${PARENT}${'0'.repeat(100_000)}` }],
  ])('is left out if it is %s', async (_what, meta) => {
    expect(await contextsOf(meta)).toEqual([undefined])
  })

  it('leaves out a state that is not a text, or is too long', async () => {
    for (const tracestate of [['a=1'], 'a=1,'.repeat(10_000)]) {
      expect(await contextsOf({ traceparent: PARENT, tracestate })).toEqual([{ traceparent: PARENT }])
    }
  })
})

describe('a server of tools', () => {
  it('serves this package over HTTP, with the newest protocol and without a session', async () => {
    await using server = mcpServer(options())
    const { url } = await server.listen()
    await using its = await mcp({ name: 's', url })
    expect(its.info).toMatchObject({ name: 'ours', protocolVersion: '2026-07-28' })
    expect((await its.callTool('echo', { text: 'hi' }, { key: 'run/1' })).text).toBe('hi')
    expect(seen.at(-1)).toEqual({ args: { text: 'hi' }, key: '/run/1' })
    expect(await its.callTool('echo', { text: 1 })).toMatchObject({
      isError: true,
      text: 'the arguments do not fit: text: must be a text',
    })
  })

  it('sends images, sounds and files of its tools to clients of both protocol versions', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } } as const
    const sound = { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } } as const
    const pdf = {
      type: 'file',
      file: { filename: 'a b.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
    } as const
    const link = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } } as const
    const stored = { type: 'file', file: { file_id: 'file-1' } } as const
    const look: Tool = {
      name: 'look',
      description: 'Looks.',
      parameters: { type: 'object' },
      execute: () => toolContent([{ type: 'text', text: 'see' }, image, sound, pdf, link, stored]),
    }
    await using server = mcpServer({ name: 'ours', tools: [look] })
    const { url } = await server.listen()
    const old = new OldClient({ name: 'old', version: '1' })
    await old.connect(new OldTransport(new URL(url)))
    try {
      expect((await old.callTool({ name: 'look' })).content).toEqual([
        { type: 'text', text: 'see' },
        { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
        { type: 'audio', mimeType: 'audio/mpeg', data: 'SUQz' },
        {
          type: 'resource',
          resource: { uri: 'attachment:a%20b.pdf', mimeType: 'application/pdf', blob: 'JVBERi0=' },
        },
        { type: 'resource_link', uri: 'https://example.com/a.png', name: 'image' },
        { type: 'text', text: '[file: file-1]' },
      ])
    } finally {
      await old.close()
    }
    await using its = await mcp({ name: 's', url })
    const [tool] = its.tools({ allow: 'all' })
    expect(contentOfResult(await tool!.execute({}, { run: undefined, key: 'k' }))).toEqual([
      { type: 'text', text: 'see' },
      image,
      sound,
      { ...pdf, file: { ...pdf.file, filename: 'a b.pdf' } },
      { type: 'text', text: '[resource: image at https://example.com/a.png]\n[file: file-1]' },
    ])
  })

  it('tells clients of an internal error only that the call failed', async () => {
    const errors: unknown[] = []
    await using server = mcpServer(options({ onError: (error) => void errors.push(error) }))
    const { url } = await server.listen()
    await using its = await mcp({ name: 's', url })
    expect(await its.callTool('bad')).toMatchObject({ isError: true, text: 'bad failed; the server knows more' })
    expect(errors).toEqual([new Error('the password is hunter2-hunter2')])
  })

  it('asks the person at the client for approval, and does nothing without it', async () => {
    await using server = mcpServer(options())
    const { url } = await server.listen()
    const call = async (euros: number, ...lines: string[]): Promise<McpResult> => {
      await using its = await mcp({ name: 's', url, elicitation: true, io: typist(...lines) })
      return await its.callTool('pay', { euros })
    }
    const before = seen.length
    expect((await call(20, 'no')).text).toBe('the call was denied: the user said no')
    expect((await call(20, 'yes', 'no', 'too much')).text).toBe('the call was denied: the user said: too much')
    expect(seen).toHaveLength(before)
    expect((await call(20, 'yes', 'yes', '')).text).toBe('paid 20')
    expect((await call(5)).text).toBe('paid 5')
    await using none = await mcp({ name: 's', url })
    const refused = await none.callTool('pay', { euros: 20 })
    expect([refused.isError, refused.text]).toEqual([true, expect.stringMatching(/can ask nobody/u)])
  })

  it('tells the person what a question does not show, and shows what hides', async () => {
    const asked: string[] = []
    const ask: ServedAgent['create'] = () => ({
      async run(_task, { journal }) {
        const action = {
          type: 'codeExecution',
          blocks: [{ language: 'sh', code: `ls\u202E${' '.repeat(5000)}rm -rf ~` }],
        }
        journal.keep({ place: '1', kind: 'question', value: { action } })
        return await Promise.resolve({ text: '', terminationReason: 'suspended' })
      },
    })
    const agents = [{ name: 'ask', description: 'Asks.', create: ask }]
    await using server = mcpServer(options({ sessions: true, agents }))
    const { url } = await server.listen()
    const client = new OldClient({ name: 'old', version: '1' }, { capabilities: { elicitation: {} } })
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message)
      return { action: 'decline' }
    })
    await client.connect(new OldTransport(new URL(url)))
    try {
      await client.callTool({ name: 'pay', arguments: { euros: 20, to: `\u202E${'x'.repeat(5000)}` } })
      await client.callTool({ name: 'ask', arguments: { task: 'q' } })
    } finally {
      await client.close()
    }
    expect(asked[0]).toMatch(/^Call pay\(\{"euros":20,"to":"x+… \(cut: 5021 characters\)\)\?$/u)
    expect(asked[1]).toMatch(/^The agent is about to run this code:\n\[sh\]\nls +… \(cut: 5031 characters\)$/u)
  })

  it('leaves a decision for later when too many calls are under way', async () => {
    const [busy, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const wait: Tool = {
      name: 'wait',
      description: 'Waits.',
      parameters: { type: 'object' },
      execute: async () => (busy.resolve(), await free.promise, 'waited'),
    }
    await using server = mcpServer(options({ maxCalls: 1, tools: [pay, wait] as Tool[] }))
    const ask = async (name: string, params: object): Promise<Record<string, unknown>> =>
      await callWithoutSession(server, name, params)
    const { requestState } = await ask('pay', { arguments: { euros: 20 } })
    const decided = {
      ...{ arguments: { euros: 20 }, requestState },
      inputResponses: { call: { action: 'accept', content: { allow: true } } },
    }
    const waiting = ask('wait', {})
    await busy.promise
    expect(await ask('pay', decided)).toMatchObject({ isError: true })
    free.resolve()
    await waiting
    expect(await ask('pay', decided)).toMatchObject({ content: [{ text: 'paid 20' }] })
  })

  it('keeps the keys of callers apart, whatever their names', async () => {
    const authenticate = (request: Request): string | null => request.headers.get('x-user')
    await using server = mcpServer(options({ authenticate }))
    const { url } = await server.listen()
    const keyOf = async (user: string, key: string): Promise<unknown> => {
      await using its = await mcp({ name: 's', url, headers: { 'x-user': user } })
      await its.callTool('echo', { text: 'hi' }, { key })
      return seen.at(-1)!.key
    }
    expect(await keyOf('ann@a.example', 'run/1')).toBe('ann@a.example/run/1')
    expect(await keyOf('a/b', 'c')).not.toBe(await keyOf('a', 'b/c'))
    expect(await keyOf('a%2Fb', 'c')).not.toBe(await keyOf('a/b', 'c'))
  })

  it('serves clients of the older protocol, and asks within their sessions', async () => {
    for (const sessions of [false, true]) {
      await using server = mcpServer(options({ sessions }))
      const { url } = await server.listen()
      const client = new OldClient({ name: 'old', version: '1' }, { capabilities: { elicitation: {} } })
      client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { allow: true } }))
      const transport = new OldTransport(new URL(url))
      await client.connect(transport)
      try {
        expect(transport.sessionId === undefined).toBe(!sessions)
        expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo', 'pay', 'bad'])
        const said = await client.callTool({ name: 'echo', arguments: { text: 'hi' } })
        expect(said.content).toEqual([{ type: 'text', text: 'hi' }])
        const paid = await client.callTool({ name: 'pay', arguments: { euros: 20 } })
        expect(paid.isError ?? false).toBe(!sessions)
      } finally {
        await client.close()
      }
    }
  })

  it.each([false, true])('stops a call when its client disconnects, with sessions: %s', async (sessions) => {
    const begun = Promise.withResolvers<void>()
    const stopped = Promise.withResolvers<void>()
    const hang: Tool = {
      name: 'hang',
      description: 'Hangs.',
      parameters: { type: 'object' },
      execute: (_, { signal }) => {
        signal!.addEventListener('abort', () => stopped.resolve())
        begun.resolve()
        return new Promise(() => {})
      },
    }
    await using server = mcpServer({ name: 'ours', tools: [hang], sessions })
    const { url } = await server.listen()
    await using its = await mcp({ name: 's', url })
    const stop = new AbortController()
    const ended = its.callTool('hang', {}, { signal: stop.signal }).catch((error: unknown) => error)
    await begun.promise
    stop.abort()
    expect(await ended).toMatchObject({ code: 'aborted' })
    await stopped.promise
  })

  it('refuses the session of another caller', async () => {
    const authenticate = (request: Request): string | null => request.headers.get('x-user')
    await using server = mcpServer(options({ sessions: true, authenticate }))
    const { url } = await server.listen()
    const transport = new OldTransport(new URL(url), { requestInit: { headers: { 'x-user': 'ann' } } })
    const client = new OldClient({ name: 'old', version: '1' })
    await client.connect(transport)
    const steal = async (user: string): Promise<number> =>
      (
        await fetch(url, {
          method: 'POST',
          headers: {
            'x-user': user,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-session-id': transport.sessionId!,
            'mcp-protocol-version': '2025-06-18',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/list' }),
        })
      ).status
    expect([await steal('ann'), await steal('eve')]).toEqual([200, 404])
    await client.close()
  })

  it('refuses other hosts, pages of other sites, unknown callers, and too many requests', async () => {
    const authenticate = (request: Request): string | null => request.headers.get('authorization') && 'ann'
    await using server = mcpServer(options({ authenticate, requestsPerMinute: 3, maxRequestBytes: 2000, now: () => 0 }))
    const post = async (headers: Record<string, string>, body = '{}', host = 'localhost'): Promise<number> => {
      const all = { host, 'content-type': 'application/json', ...headers }
      return (await server.fetch(new Request(`http://${host}/`, { method: 'POST', headers: all, body }))).status
    }
    const me = { authorization: 'Bearer x' }
    expect(await post(me, '{}', 'evil.example')).toBe(403)
    expect(await post({ ...me, origin: 'https://evil.example' })).toBe(403)
    expect(await post({})).toBe(401)
    expect(await post(me, 'x'.repeat(3000))).toBe(413)
    expect([await post(me), await post(me)]).not.toContain(429)
    expect(await post(me)).toBe(429)
  })

  it('counts requests on where its clock is set back', async () => {
    let time = 3_600_000
    await using server = mcpServer(options({ requestsPerMinute: 2, now: () => time }))
    const post = async (): Promise<number> => {
      const headers = { host: 'localhost', 'content-type': 'application/json' }
      return (await server.fetch(new Request('http://localhost/', { method: 'POST', headers, body: '{}' }))).status
    }
    expect(await post()).not.toBe(429)
    time = 0
    expect(await post()).not.toBe(429)
    expect(await post()).toBe(429)
    time = 30_000
    expect(await post()).not.toBe(429)
  })

  it.each([
    ['no name', { name: '' }, /no `name`/u],
    ['a short key', { key: 'short' }, /fewer than 32/u],
    ['twins', { tools: [echo, echo] as Tool[] }, /two tools or agents are named `echo`/u],
    ['a misspelt option', { tool: [] } as never, /did you mean `tools`/u],
    [
      'an agent as it is',
      { agents: [{ name: 'clerk', description: '' }] } as never,
      /`clerk` has no function `create`/u,
    ],
    ['an agent that is made already', { agents: [{ name: 'clerk', create: {} }] } as never, /create: \(\) => agent/u],
  ])('cannot be made with %s', (_, more, says) => {
    expect(() => mcpServer(options(more))).toThrow(says)
  })
})
