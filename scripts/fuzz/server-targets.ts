import { mcp } from '../../packages/mcp/src/index.ts'
import { mcpServer } from '../../packages/mcp/src/server.ts'
import { MAX_BODY_BYTES } from '../../apps/web-chat/src/json-body.ts'
import { post, send, type Target as WebTarget } from '../../apps/web-chat/src/attacks.fake.ts'
import { startExample } from '../../apps/web-chat/src/example-server.fake.ts'
import { functionModel } from '../../packages/testing/src/index.ts'
import { BrokenPromise, type Target } from './engine.ts'

const JSON_MARKS = ['{', '}', '[', ']', ':', ',', '"', 'null', 'true', '1', '{}', '[]', '""']

const RESULT_MARKS = [
  ...JSON_MARKS,
  '"tools":',
  '"name":"t"',
  '"inputSchema":{"type":"object"}',
  '"inputSchema":',
  '"outputSchema":',
  '"description":',
  '"annotations":',
  '"readOnlyHint":true',
  '"nextCursor":"a"',
  '"content":',
  '{"type":"text","text":"a"}',
  '{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}',
  '{"type":"resource_link","uri":"file:///a","name":"a"}',
  '"type":',
  '"structuredContent":',
  '"isError":true',
  '"_meta":',
  '"error":',
  '"id":',
  '"$ref":"#"',
]

/** The answers of a server by method, with the hostile text as the result of what is fuzzed. */
function answerOf(method: string, text: string, fuzzed: string): string {
  if (method === fuzzed) return `"result":${text}`
  if (method === 'initialize')
    return `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
  if (method === 'tools/list') return `"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
  return `"error":{"code":-32601,"message":"no such method"}`
}

/** The platform's `fetch` as a hostile server would answer it; the first character chooses the form of the answer. */
const hostileFetch =
  (text: string, fuzzed: string): typeof fetch =>
  async (_, init) => {
    if (init?.method !== 'POST') return new Response(null, { status: 405 })
    const { id, method } = JSON.parse(init.body as string) as { id?: number; method: string }
    if (id === undefined) return new Response(null, { status: 202 })
    const isStream = text.startsWith(' ')
    const message = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${answerOf(method, text, fuzzed)}}`
    return new Response(isStream ? `data: ${message}\n\n` : message, {
      headers: { 'content-type': isStream ? 'text/event-stream' : 'application/json' },
    })
  }

/** Seconds until the client gives a server up: a stream that ends without an answer is waited for. */
const CLIENT_TIMEOUT = 2

const client = (fuzzed: string): Target => ({
  marks: RESULT_MARKS,
  start: async () => ({
    async read(text) {
      await using its = await mcp({
        ...{ name: 's', url: 'https://a.invalid/mcp', connectTimeout: CLIENT_TIMEOUT },
        fetch: hostileFetch(text, fuzzed),
      })
      const [tool] = its.tools({ allow: 'all' })
      if (its.definitions.some(({ name }) => !/^[\w-]{1,64}$/u.test(name)))
        throw new BrokenPromise('a tool has a name that providers refuse')
      if (tool && fuzzed === 'tools/call') await its.callTool('t', {}, { timeout: CLIENT_TIMEOUT })
    },
  }),
})

const echo = {
  ...{ name: 'echo', description: 'Says the same.', parameters: { type: 'object' } },
  execute: (args: unknown) => JSON.stringify(args),
}

const server: Target = {
  marks: [
    ...JSON_MARKS,
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    '"method":',
    '"params":',
    '"initialize"',
    '"server/discover"',
    '"_meta":',
    '"requestState":"a"',
    '"inputResponses":{}',
    '"progressToken":1',
    '"protocolVersion":"2026-07-28"',
    '"id":',
  ],
  start: async () => {
    const errors: unknown[] = []
    const its = mcpServer({
      ...{ name: 's', tools: [echo], requestsPerMinute: 1e9 },
      onError: (error) => void errors.push(error),
    })
    return {
      async read(text) {
        errors.length = 0
        const version = text.includes('2026-07-28') ? '2026-07-28' : '2025-11-25'
        const response = await its.fetch(
          new Request('http://localhost/mcp', {
            method: 'POST',
            headers: {
              ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
              ...{ host: 'localhost', 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'echo' },
            },
            body: text,
          }),
        )
        await response.text()
        const mistake = errors.find(
          (error): error is Error => error instanceof TypeError || error instanceof RangeError,
        )
        if (mistake) throw new BrokenPromise(`the server met ${String(mistake.stack)}`)
        if (response.status >= 500) throw new BrokenPromise(`the server answered ${response.status}`)
      },
      stop: async () => await its.close(),
    }
  },
}

const web: Target = {
  marks: [
    ...JSON_MARKS,
    '{"text":"Hi"}',
    '"files":[{"name":"a","data":"eA=="}]',
    '/files/00000000000000000000000000000000',
    '"text":',
    '/chats/',
    '/events?chat=',
    '/chats',
    '/messages',
    '/stop',
    '/decisions',
    '?token=',
    '%00',
    '%2e%2e/',
    '..',
    '//',
    '#',
    'GET ',
    'POST ',
  ],
  start: async () => {
    const example = await startExample(functionModel(() => 'Hello.'))
    const target: WebTarget = { ...example.server, chat: example.conversation.id }
    return {
      /** The first line of a text is the path, and what follows is the body. */
      async read(text) {
        const [line = '', ...rest] = text.split('\n')
        const path = `/${encodeURI(line.toWellFormed()).replaceAll('%25', '%')}`
        const body = rest.join('\n').slice(0, MAX_BODY_BYTES)
        const answers = [
          await post(target, {}, body, line.startsWith('/') ? path : 'messages'),
          // Without the token, so that no stream of events begins.
          await send(target, path),
        ]
        const failed = answers.find(({ status }) => status >= 500)
        if (failed) throw new BrokenPromise(`the web example answered ${failed.status}: ${failed.text}`)
        if (answers.some((answer) => answer.text.includes(target.token)))
          throw new BrokenPromise('the web example told its token')
      },
      stop: async () => await example[Symbol.asyncDispose](),
    }
  },
}

/** Clients and servers as a whole. */
export const SERVER_TARGETS: Readonly<Record<string, Target>> = {
  'the list of tools of a server': client('tools/list'),
  'the result of a tool of a server': client('tools/call'),
  'the greeting of a server': client('initialize'),
  'requests to the server of MCP': server,
  'requests to the web example': web,
}
