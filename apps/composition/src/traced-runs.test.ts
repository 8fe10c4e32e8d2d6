import { readFileSync } from 'node:fs'
import { context, ROOT_CONTEXT, trace, type Tracer } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { AssistantAgent, tool } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import type { LogRecord, ModelClient, Provider, RunTracer, ToolContext } from '@x/interfaces'
import { XError } from '@x/kernel'
import { mcp } from '@x/mcp'
import { mcpServer } from '@x/mcp/server'
import { createMemoryCache, llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { contextOf, traceRuns } from '@x/otel'
import { scriptedModel, type ScriptedReply, scriptedProvider, startFakeOpenAI } from '@x/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkMetrics, checkSpans, OWN_ATTRIBUTES, treeOf, tracing } from './traced.fake.ts'

const NO_ARGUMENTS = { type: 'object', properties: {} } as const

/** A reply that calls tools by their names. */
const callOf = (...names: string[]) => ({
  tool_calls: names.map((name, at) => ({
    id: `c${at}`,
    type: 'function' as const,
    function: { name, arguments: '{}' },
  })),
})

const toolNamed = (name: string, execute: (args: unknown, context: ToolContext) => unknown) =>
  tool({ name, description: name, parameters: NO_ARGUMENTS, execute })

/** An agent that asks two experts at once, each in a tool. */
function parallelExperts(tracer?: RunTracer) {
  const expert = (name: string, ...replies: string[]) =>
    toolNamed(`ask_${name}`, async (_, { run }) => {
      const agent = new AssistantAgent({ name, llmConfig: scriptedModel(replies) })
      return (await agent.run('?', { run })).text
    })
  const assistant = new AssistantAgent({
    ...{ name: 'assistant', tracer },
    llmConfig: scriptedModel([callOf('ask_ann', 'ask_bob'), 'done']),
  })
  return { assistant, tools: [expert('ann', 'six'), expert('bob', 'seven')] }
}

/** A config list of scripted models; `replies` by model. */
const configsOf = (replies: Parameters<typeof scriptedProvider>[0]) =>
  llmConfig({
    ...{ providers: [scriptedProvider(replies)], cacheSeed: null },
    configList: Object.keys(replies).map((model) => ({
      apiType: 'scripted',
      model,
      price: [1, 2] as [number, number],
    })),
  })

describe('the trace of a run', () => {
  it('has nested agents, their models and their parallel tools in one tree, as the result tells them', async () => {
    const its = tracing()
    const { assistant, tools } = parallelExperts(its.tracer)
    const { toolCalls } = await assistant.run('q', { tools })
    const spans = its.spans()
    checkSpans(spans)
    expect(treeOf(spans)).toEqual([
      'invoke_agent assistant',
      '  chat scripted',
      '  execute_tool ask_ann',
      '    invoke_agent ann',
      '      chat scripted',
      '  execute_tool ask_bob',
      '    invoke_agent bob',
      '      chat scripted',
      '  chat scripted',
    ])
    const called = spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'execute_tool')
    expect(called.map(({ attributes }) => attributes['gen_ai.tool.name'])).toEqual(toolCalls.map(({ name }) => name))
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(new Set(spans.map(({ attributes }) => attributes['x.span.id'])).size).toBe(spans.length)
  })

  it('shows a failover, with one span and one row of metrics for each attempt, and sums it up', async () => {
    const its = tracing()
    const config = configsOf({ a: [{ error: 'rate-limit' }], b: [{ content: 'Hello.', usage: [1000, 500] }] })
    const assistant = new AssistantAgent({ name: 'assistant', llmConfig: config })
    const { cost } = await assistant.run('q', { tracer: its.tracer })
    const spans = its.spans()
    checkSpans(spans)
    expect(treeOf(spans)).toEqual(['invoke_agent assistant', '  chat a ! rate-limit', '  chat b'])
    const [agent, failed, answered] = spans
    const used = { 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 500, 'x.usage.cost': 2 }
    expect(answered!.attributes).toMatchObject({ ...used, 'x.config.index': 1 })
    expect(agent!.attributes).toMatchObject({ ...used, 'x.usage.cost': cost })
    expect(failed!.attributes).not.toHaveProperty(['gen_ai.usage.input_tokens'])
    const metrics = await its.metrics()
    checkMetrics(metrics)
    const pointsOf = (name: string) =>
      metrics.scopeMetrics[0]!.metrics.find(({ descriptor }) => descriptor.name === name)!.dataPoints as {
        attributes: Record<string, unknown>
        value: { count: number; sum: number }
      }[]
    const durations = pointsOf('gen_ai.client.operation.duration')
    expect(durations.map(({ attributes }) => attributes['error.type'])).toEqual(['rate-limit', undefined])
    const tokens = pointsOf('gen_ai.client.token.usage').map(({ attributes, value }) => [
      attributes['gen_ai.token.type'],
      value.sum,
    ])
    expect(tokens).toEqual([
      ['input', 1000],
      ['output', 500],
    ])
    expect(pointsOf('x.client.cost')[0]!.value.sum).toBe(2)
  })

  it('has vectors and counts of tokens, with failovers, and the requests in their spans', async () => {
    const its = tracing()
    const headers: unknown[] = []
    const client = (model: string): ModelClient => ({
      create: () => {
        throw new Error('not asked')
      },
      embed(params, { trace: at }) {
        headers.push(at?.traceparent)
        if (model === 'down') throw new XError('model-failed', 'away', { kind: 'server' })
        return {
          model,
          embeddings: [params.input].flat().map(() => [1, 0, 0]),
          usage: { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7 },
        }
      },
      countTokens: () => 12,
      messageRetrieval: () => [],
      getUsage: () => ({ model, promptTokens: 0, completionTokens: 0, totalTokens: 0, cost: 0 }),
      cost: () => 0.5,
    })
    const provider: Provider = {
      ...{ apiTypes: ['own'], specVersion: 1 },
      createClient: ({ model = '' }) => client(model),
    }
    const models = llmConfig({
      ...{ providers: [provider], cacheSeed: null, maxRetries: 0, price: [1000, 1000] as [number, number] },
      configList: ['down', 'up'].map((model) => ({ model, apiType: 'own' })),
    }).createModel()
    const { embeddings } = await models.embed({ input: ['a', 'b'] }, { tracer: its.tracer })
    expect(embeddings).toHaveLength(2)
    const spans = its.spans()
    checkSpans(spans)
    expect(treeOf(spans)).toEqual(['embeddings down ! server', 'embeddings up'])
    expect(headers).toEqual(spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`))
    expect(spans[1]!.attributes).toMatchObject({
      ...{ 'gen_ai.usage.input_tokens': 7, 'gen_ai.embeddings.dimension.count': 3, 'x.usage.cost': 7 },
    })
    checkMetrics(await its.metrics())
    const look = toolNamed('look', async (_, { run }) => {
      const { promptTokens } = await models.countTokens({ messages: [{ role: 'user', content: 'q' }] }, { run })
      return `${promptTokens}`
    })
    const agent = new AssistantAgent({ name: 'assistant', llmConfig: scriptedModel([callOf('look'), 'done']) })
    await agent.run('q', { tools: look, tracer: its.tracer })
    checkSpans(its.spans())
    expect(treeOf(its.spans().slice(2))).toEqual([
      'invoke_agent assistant',
      '  chat scripted',
      '  execute_tool look',
      '    count_tokens down',
      '  chat scripted',
    ])
    expect(its.spans().find(({ name }) => name === 'count_tokens down')!.attributes).toMatchObject({
      'x.counted_tokens': 12,
    })
  })

  it('tells a cached answer as one that used nothing', async () => {
    const its = tracing()
    const config = configsOf({ a: [{ content: 'Hello.', usage: [10, 5] }] }).with({ cache: createMemoryCache() })
    for (const tracer of [undefined, its.tracer]) {
      await new AssistantAgent({ name: 'assistant', llmConfig: config, tracer }).run('q')
    }
    const [agent, call] = its.spans()
    expect(call!.attributes).toMatchObject({ 'x.cached': true })
    expect(call!.attributes).not.toHaveProperty(['gen_ai.usage.input_tokens'])
    expect(agent!.attributes).toMatchObject({ 'x.usage.cost': 0, 'gen_ai.usage.input_tokens': 0 })
    const names = (await its.metrics()).scopeMetrics[0]!.metrics.map(({ descriptor }) => descriptor.name)
    expect(names).toEqual(['gen_ai.client.operation.duration'])
  })

  it('has a span for an approval that is waited for, and for the call that follows in another process', async () => {
    const its = tracing()
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      parameters: NO_ARGUMENTS,
      needsApproval: true,
      execute: () => 'paid',
    })
    const assistant = (reply: ScriptedReply) =>
      new AssistantAgent({ name: 'assistant', llmConfig: scriptedModel([reply]), tracer: its.tracer })
    const first = await assistant(callOf('pay')).run('q', { tools: pay })
    expect(first.terminationReason).toBe('suspended')
    expect(treeOf(its.spans())).toEqual([
      'invoke_agent assistant (suspended)',
      '  chat scripted',
      '  execute_tool pay (suspended)',
    ])
    const waiting = its.spans().find(({ name }) => name === 'execute_tool pay')
    expect(waiting!.attributes['x.approval.id']).toBe(first.pending[0]!.id)
    await first.journal!.decide(first.pending[0]!.id, { allow: true })
    const second = await assistant('done').run('q', { tools: pay, journal: first.journal! })
    expect(second.text).toBe('done')
    const later = its.spans().slice(3)
    checkSpans(later)
    expect(treeOf(later)).toEqual(['invoke_agent assistant', '  execute_tool pay', '  chat scripted'])
    expect(later.map(({ attributes }) => attributes['x.resumed'])).toEqual([true, true, undefined])
    expect(later[1]!.attributes).toMatchObject({ 'x.approval.allowed': true })
  })

  it('has the speakers of a group below its manager, and human waits', async () => {
    const its = tracing()
    const member = (name: string): AssistantAgent =>
      new AssistantAgent({ name, llmConfig: scriptedModel([`${name} speaks`], { repeatLast: true }) })
    const person = new AssistantAgent({
      ...{ name: 'person', humanInputMode: 'ALWAYS', llmConfig: false },
      io: { send: () => {}, input: () => 'exit' },
    })
    const chat = new GroupChat({
      agents: [member('ann'), member('bob')],
      maxRound: 3,
      speakerSelectionMethod: 'round_robin',
    })
    await person.initiateChat(new GroupChatManager({ groupchat: chat }), { message: 'q', tracer: its.tracer })
    const spans = its.spans()
    checkSpans(spans)
    expect(treeOf(spans)).toEqual([
      'invoke_agent chat_manager',
      '  invoke_agent ann',
      '    chat scripted',
      '  invoke_agent bob',
      '    chat scripted',
    ])
  })

  it('has the end of every span of a run that fails or is stopped', async () => {
    const its = tracing()
    const stop = new AbortController()
    const hang = toolNamed('hang', async (_, { signal }) => {
      stop.abort()
      return await new Promise((_resolve, reject) =>
        signal!.addEventListener('abort', () => reject(new Error('stopped'))),
      )
    })
    const agent = new AssistantAgent({ name: 'assistant', llmConfig: scriptedModel([callOf('hang')]) })
    await expect(agent.run('q', { tools: hang, signal: stop.signal, tracer: its.tracer })).rejects.toThrow('stopped')
    expect(treeOf(its.spans())).toEqual([
      'invoke_agent assistant (aborted)',
      '  chat scripted',
      '  execute_tool hang (aborted)',
    ])
    const failing = tracing()
    const config = configsOf({ a: [{ error: 'server' }] })
    await expect(
      new AssistantAgent({ name: 'a', llmConfig: config }).run('q', { tracer: failing.tracer }),
    ).rejects.toThrow()
    checkSpans(failing.spans())
    expect(treeOf(failing.spans())).toEqual(['invoke_agent a ! model-failed', '  chat a ! server'])
    expect(failing.spans().map(({ message }) => message)).toEqual([undefined, undefined])
  })

  it('has the failure of a tool that its model is told of', async () => {
    const its = tracing()
    const fails = toolNamed('fails', () => {
      throw new Error('a secret of the tool')
    })
    const agent = new AssistantAgent({ name: 'assistant', llmConfig: scriptedModel([callOf('fails'), 'done']) })
    await agent.run('q', { tools: fails, tracer: its.tracer })
    expect(treeOf(its.spans())[2]).toMatch(/^ {2}execute_tool fails !/u)
    expect(await its.exported()).not.toContain('a secret of the tool')
  })
})

describe('content', () => {
  const CANARY = 'canary-7f3a'
  const run = async (
    its: ReturnType<typeof tracing>,
    events?: { readonly content?: boolean; readonly redact?: () => null },
  ) => {
    const echo = tool({
      ...{ name: 'echo', description: 'Echoes.' },
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
      execute: ({ text }) => `${String(text)}-result`,
    })
    const call = {
      id: 'c0',
      type: 'function' as const,
      function: { name: 'echo', arguments: `{"text":"${CANARY}-call"}` },
    }
    const config = llmConfig({
      providers: [scriptedProvider({ m: [{ tool_calls: [call] }, `${CANARY}-answer`] })],
      ...{ cacheSeed: null, apiType: 'scripted', model: 'm', apiKey: `sk-${CANARY}`, stop: [`${CANARY}-stop`] },
    })
    const agent = new AssistantAgent({ name: 'assistant', llmConfig: config, systemMessage: `${CANARY}-system` })
    await agent.run(`${CANARY}-question`, { tools: echo, tracer: its.tracer, events })
  }

  it('is left out by default: no word of people, models or tools, and no key', async () => {
    const its = tracing()
    await run(its)
    checkSpans(its.spans())
    expect(its.spans()).toHaveLength(4)
    expect(await its.exported()).not.toContain(CANARY)
  })

  it('is recorded in the form of the conventions if it is switched on, without keys', async () => {
    const its = tracing({ content: true })
    await run(its)
    const spans = its.spans()
    checkSpans(spans)
    expect(await its.exported()).not.toContain(`sk-${CANARY}`)
    const [agent, asked, called, answered] = spans.map(({ attributes }) => attributes)
    expect(agent!['gen_ai.input.messages']).toContain(`${CANARY}-question`)
    expect(agent!['gen_ai.output.messages']).toContain(`${CANARY}-answer`)
    expect(JSON.parse(asked!['gen_ai.input.messages'] as string)).toMatchObject([
      { role: 'system', parts: [{ type: 'text', content: `${CANARY}-system` }] },
      { role: 'user', parts: [{ type: 'text', content: `${CANARY}-question` }] },
    ])
    expect(JSON.parse(asked!['gen_ai.output.messages'] as string)).toMatchObject([
      {
        ...{ role: 'assistant', finish_reason: 'tool_call' },
        parts: [{ type: 'tool_call', name: 'echo', arguments: { text: `${CANARY}-call` } }],
      },
    ])
    expect(called!['gen_ai.tool.call.arguments']).toBe(`{"text":"${CANARY}-call"}`)
    expect(called!['gen_ai.tool.call.result']).toBe(`${CANARY}-call-result`)
    expect(JSON.parse(answered!['gen_ai.input.messages'] as string)).toContainEqual({
      role: 'tool',
      parts: [{ type: 'tool_call_response', id: 'c0', response: `${CANARY}-call-result` }],
    })
    expect(asked!['gen_ai.request.stop_sequences']).toEqual([`${CANARY}-stop`])
  })

  it('has no halves of characters, by which a backend refuses all spans that are sent with them', async () => {
    const its = tracing({ content: true })
    const [half, long] = ['half \ud83d', '😀'.repeat(64) + '😀']
    const lost = toolNamed('lost', () => {
      throw new Error(half)
    })
    const llmConfig = scriptedModel([callOf('lost', 'read', `x${long}`), half])
    const agent = new AssistantAgent({ name: 'half-\ud83d', llmConfig, tracer: its.tracer })
    await agent.run(half, { tools: [lost, toolNamed('read', () => half)] })
    const values = its
      .spans()
      .flatMap(({ name, message = '', attributes }) => [name, message, ...Object.values(attributes)])
    expect(values).toContain('half \ufffd')
    expect(values.flat().filter((value) => typeof value === 'string' && !value.isWellFormed())).toEqual([])
  })

  it('is left out of a run whose events leave it out, or are changed by the program', async () => {
    const its = tracing({ content: true })
    await run(its, { content: false })
    expect(its.spans()).toHaveLength(4)
    expect(await its.exported()).not.toContain(CANARY)
    const dropped = tracing({ content: true })
    await run(dropped, { redact: () => null })
    expect(dropped.spans()).toEqual([])
  })
})

describe('the page on OpenTelemetry', () => {
  it('lists the attributes that the conventions do not have', () => {
    const page = readFileSync(new URL('../../../docs/open-telemetry.md', import.meta.url), 'utf8')
    const [, rows = ''] = /\| attribute .*\n\|[ -|]*\n((?:\|.*\n)+)/u.exec(page) ?? []
    const names = rows.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(x\.[\w.]+)`/gu)])
    expect(names.map(([, name]) => name!).toSorted()).toEqual(Object.keys(OWN_ATTRIBUTES))
  })
})

describe('an SDK that fails', () => {
  it('ends no run', async () => {
    const broken = {
      startSpan: () => {
        throw new Error('no disk')
      },
    } as unknown as Tracer
    const { assistant, tools } = parallelExperts(traceRuns({ tracer: broken, content: true }))
    expect((await assistant.run('q', { tools })).text).toBe('done')
    const its = tracing()
    const span = new Proxy(its.own.startSpan('x'), {
      get: (of, key) =>
        key === 'spanContext'
          ? () => of.spanContext()
          : () => {
              throw new Error('a processor')
            },
    })
    const tracer = { startSpan: () => span } as unknown as Tracer
    const again = parallelExperts(traceRuns({ tracer, content: true }))
    expect((await again.assistant.run('q', { tools: again.tools })).text).toBe('done')
  })

  it('or is none costs no run: without a provider nothing is recorded', async () => {
    const { assistant, tools } = parallelExperts(traceRuns())
    expect((await assistant.run('q', { tools })).text).toBe('done')
  })
})

describe('a trace over several programs', () => {
  beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
  afterEach(() => expect(trace.getSpan(context.active())).toBeUndefined())

  it('has the active span of the program as its root, and the spans of tools inside', async () => {
    const its = tracing()
    const look = toolNamed('look', async (_, { run }) => {
      its.own.startSpan('read a file', {}, contextOf(run)).end()
      return 'fine'
    })
    const agent = new AssistantAgent({ name: 'assistant', llmConfig: scriptedModel([callOf('look'), 'done']) })
    const root = its.own.startSpan('GET /chat')
    await context.with(trace.setSpan(ROOT_CONTEXT, root), () => agent.run('q', { tools: look, tracer: its.tracer }))
    root.end()
    expect(treeOf(its.spans())).toEqual([
      'GET /chat',
      '  invoke_agent assistant',
      '    chat scripted',
      '    execute_tool look',
      '      read a file',
      '    chat scripted',
    ])
    expect(contextOf(undefined)).toBe(context.active())
  })

  it('goes out with the requests to models, each with the span of its attempt, and stands in the log', async () => {
    await using server = await startFakeOpenAI({ replies: [{ failure: '500' }, 'ok'] })
    const its = tracing()
    const entry = { model: 'gpt-4o', apiKey: 'key', baseUrl: server.url, maxRetries: 0 }
    const records: LogRecord[] = []
    const config = llmConfig({ providers: [openai], cacheSeed: null, configList: [entry, entry] })
    const logger = { log: (record: LogRecord) => void records.push(record) }
    const agent = new AssistantAgent({ name: 'assistant', llmConfig: config, logger })
    await agent.run('q', { tracer: its.tracer })
    const spans = its.spans()
    checkSpans(spans)
    expect(treeOf(spans)).toEqual(['invoke_agent assistant', '  chat gpt-4o ! server', '  chat gpt-4o'])
    const contexts = spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)
    expect(server.requests.map(({ headers }) => headers['traceparent'])).toEqual(contexts.slice(1))
    expect(spans[1]!.attributes).toMatchObject({ 'server.address': '127.0.0.1', 'gen_ai.provider.name': 'openai' })
    const logged = records.flatMap((each) => ('traceparent' in each ? [[each.record, each.traceparent]] : []))
    expect(logged.filter(([record]) => record === 'chatCompletion').map(([, at]) => at)).toEqual(contexts.slice(1))
    expect(logged.find(([record]) => record === 'replyFuncExecuted')?.[1]).toBe(contexts[0])
  })

  it('does not go out if the program says so', async () => {
    await using server = await startFakeOpenAI({ replies: ['ok'] })
    const its = tracing({ propagates: false })
    const config = llmConfig({
      providers: [openai],
      cacheSeed: null,
      model: 'gpt-4o',
      apiKey: 'key',
      baseUrl: server.url,
    })
    await config.createModel().create({ messages: [{ role: 'user', content: 'q' }] }, { tracer: its.tracer })
    expect(server.requests[0]!.headers).not.toHaveProperty('traceparent')
    expect(treeOf(its.spans())).toEqual(['chat gpt-4o'])
  })

  it('comes in with calls of an MCP server of ours, whatever it claims to be', async () => {
    const its = tracing()
    const served = {
      ...{ name: 'expert', description: 'Knows.' },
      create: () => new AssistantAgent({ name: 'expert', llmConfig: scriptedModel(['six']) }),
    }
    await using serving = mcpServer({ name: 'ours', agents: [served], tracer: its.tracer })
    const { url } = await serving.listen()
    await using server = await mcp({ name: 's', url })
    const call = { ...callOf('s__expert').tool_calls[0]!, function: { name: 's__expert', arguments: '{"task":"?"}' } }
    const agent = new AssistantAgent({ name: 'assistant', llmConfig: scriptedModel([{ tool_calls: [call] }, 'done']) })
    await agent.run('q', { tools: server.tools({ allow: 'all', needsApproval: false }), tracer: its.tracer })
    const spans = its.spans()
    checkSpans(spans)
    expect(treeOf(spans)).toEqual([
      'invoke_agent assistant',
      '  chat scripted',
      '  execute_tool s__expert',
      '    invoke_agent expert',
      '      chat scripted',
      '  chat scripted',
    ])
    await using hostile = await mcp({
      name: 'h',
      url,
      headers: { traceparent: `ff-${'0'.repeat(52)}`, tracestate: '=' },
    })
    expect((await hostile.callTool('expert', { task: '?' })).text).toBe('six')
    expect(treeOf(its.spans().slice(spans.length))).toEqual(['invoke_agent expert', '  chat scripted'])
  })

  it('goes out with calls of MCP servers', async () => {
    const program = `
const answers = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'look', description: 'l', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] }),
  'tools/call': ({ _meta }) => ({ content: [{ type: 'text', text: _meta.traceparent ?? 'none' }] }),
}
require('readline').createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method](params) }))
})`
    await using server = await mcp({ name: 's', command: process.execPath, args: ['-e', program] })
    const ask = async (tracer?: RunTracer) => {
      const agent = new AssistantAgent({
        name: 'assistant',
        llmConfig: scriptedModel([callOf('s__look'), 'done']),
        tracer,
      })
      const { toolCalls } = await agent.run('q', { tools: server.tools({ allow: 'all', trust: 'annotations' }) })
      return toolCalls[0]!.result
    }
    const its = tracing()
    const result = await ask(its.tracer)
    const called = its.spans().find(({ name }) => name === 'execute_tool s__look')!
    expect(result).toBe(`00-${called.traceId}-${called.spanId}-01`)
    expect(await ask(tracing({ propagates: false }).tracer)).toBe('none')
    expect(await ask()).toBe('none')
  })
})
