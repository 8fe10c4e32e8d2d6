import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { mcp } from '../index.ts'
import { HANDLED, listed, RawServer } from './raw-server.fake.ts'

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** Answers with JSON that `JSON.stringify` could not write. */
const raw =
  (result: string) =>
  ({ id }: { id?: number | string }, { response }: { response: ServerResponse }) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`)
    return HANDLED
  }

describe('a broken tool of a server is left out with the reason, and the others are listed', () => {
  it.each([
    [
      'nested deeply',
      `{"name":"bad","inputSchema":{"type":"object","x":${nested(300)}}}`,
      'it is nested deeper than 200 levels',
    ],
    [
      'nested deeper than the stack',
      `{"name":"bad","inputSchema":{"type":"object","x":${nested(100_000)}}}`,
      'it is nested deeper than 200 levels',
    ],
    ['without a schema', '{"name":"bad"}', 'it is not a tool as the protocol describes it'],
    ['that is not an object', '5', 'it is not a tool as the protocol describes it'],
    [
      'with a large schema',
      `{"name":"bad","inputSchema":{"type":"object","x":"${'x'.repeat(100_001)}"}}`,
      'one of its schemas has more than 100000 characters',
    ],
  ])('%s', async (_, tool, why) => {
    await using server = await RawServer.start({
      on: { 'tools/list': raw(`{"tools":[${tool},${JSON.stringify(listed('fine'))}]}`) },
    })
    await using its = await mcp({ name: 's', url: server.url })
    expect(its.definitions.map(({ originalName }) => originalName)).toEqual(['fine'])
    expect(its.leftOut).toEqual([{ name: tool === '5' ? '' : 'bad', why }])
  })
})

describe('a broken block of a result is left out with the reason, and the others are read', () => {
  it.each([
    [
      'an image that is not base64',
      '{"type":"image","mimeType":"image/png","data":"not base64 !!"}',
      '[image left out: it is not content as the protocol describes it]',
    ],
    [
      'an image without data',
      '{"type":"image","mimeType":"image/png"}',
      '[image left out: it is not content as the protocol describes it]',
    ],
    ['an unknown type', '{"type":"weird"}', '[weird left out: it is not content as the protocol describes it]'],
    ['null', 'null', '[content left out: it is not content as the protocol describes it]'],
    [
      'a deep one',
      `{"type":"text","text":"x","_meta":${nested(50_000)}}`,
      '[text left out: it is nested deeper than 200 levels]',
    ],
  ])('%s', async (_, block, line) => {
    const text = { type: 'text', text: 'fine' }
    await using server = await RawServer.start({
      on: { 'tools/call': raw(`{"content":[${JSON.stringify(text)},${block}]}`) },
    })
    await using its = await mcp({ name: 's', url: server.url })
    expect((await its.callTool('echo')).text).toBe(`fine\n${line}`)
  })

  it('and so is a deep structured result', async () => {
    await using server = await RawServer.start({
      on: { 'tools/call': raw(`{"content":[{"type":"text","text":"fine"}],"structuredContent":${nested(50_000)}}`) },
    })
    await using its = await mcp({ name: 's', url: server.url })
    expect(await its.callTool('echo')).toMatchObject({
      text: 'fine\n[structured result left out: it is nested deeper than 200 levels]',
      structured: undefined,
    })
  })
})

describe('the schema of a tool of a server is never run', () => {
  it.each([
    ['a pattern that repeats its repetition', { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }],
    ['a reference to itself', { $ref: '#' }],
    [
      'a bomb of references',
      {
        properties: { a: { $ref: '#/$defs/d0' } },
        $defs: Object.fromEntries(
          Array.from({ length: 30 }, (_, i) => [
            `d${i}`,
            { allOf: Array.from({ length: 2 }, () => ({ $ref: `#/$defs/d${i + 1}` })) },
          ]),
        ),
      },
    ],
  ])('%s', async (_, schema) => {
    const tool = {
      ...listed('echo'),
      inputSchema: { type: 'object', ...schema },
      outputSchema: { type: 'object', ...schema },
    }
    await using server = await RawServer.start({
      tools: [tool],
      on: { 'tools/call': () => ({ content: [], structuredContent: { a: `${'a'.repeat(100)}!` } }) },
    })
    await using its = await mcp({ name: 's', url: server.url })
    const result = await its.callTool('echo', { a: `${'a'.repeat(100)}!` })
    expect(result.structured).toEqual({ a: `${'a'.repeat(100)}!` })
  })
})

it.each([
  ['resources', 'resources/list', { resources: [{ uri: 'file:///a', name: 'a' }] }],
  ['templates', 'resources/templates/list', { resourceTemplates: [{ uriTemplate: 'file:///{a}', name: 'a' }] }],
])('a server that only lists %s has these', async (_, method, list) => {
  await using server = await RawServer.start({ capabilities: { resources: {} }, on: { [method]: () => list } })
  await using its = await mcp({ name: 's', url: server.url })
  expect(await its.resources()).toMatchObject([{ name: 'a' }])
})

describe('an answer that the protocol does not know', () => {
  it.each<[string, NonNullable<Parameters<typeof RawServer.start>[0]>['on']]>([
    ['has no list of blocks', { 'tools/call': () => ({ content: null }) }],
    [
      'belongs to no request',
      {
        'tools/call': (_, { response }) => {
          response.writeHead(200, { 'content-type': 'application/json' })
          response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}')
          return HANDLED
        },
      },
    ],
  ])('is told in a few words where it %s', async (_, on) => {
    await using server = await RawServer.start({ on: on! })
    await using its = await mcp({ name: 's', url: server.url })
    const error: unknown = await its.callTool('echo').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'connection-failed' })
    expect((error as Error).message).toMatch(
      /^cannot call the tool `echo` of the MCP server `s`: (?:Invalid result for tools\/call: )?its answer is not as the protocol describes it\. /u,
    )
  })
})

describe('a stream that ends at once', () => {
  it.each([0, 2 ** 40])('is not opened again all the time, where the server asks for it in %i ms', async (ms) => {
    const times: number[] = []
    const asked = Promise.withResolvers<void>()
    await using server = await RawServer.start({
      on: {
        GET: (_, { response }) => {
          if (times.push(Date.now()) === (ms === 0 ? 3 : 1)) asked.resolve()
          response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`retry: ${ms}\nid: 1\ndata:\n\n`)
        },
      },
    })
    await using its = await mcp({ name: 's', url: server.url })
    await asked.promise
    for (let calls = 0; calls < 5; calls++) expect((await its.callTool('echo')).text).toBe('called echo')
    if (ms === 0) expect(times[2]! - times[0]!).toBeGreaterThanOrEqual(190)
    else expect(times).toHaveLength(1)
  })
})
