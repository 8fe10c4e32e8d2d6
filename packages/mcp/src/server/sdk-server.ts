import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolRequest,
  type ServerContext,
  type Tool as ListedTool,
} from '@modelcontextprotocol/server'
import type { Tool, ToolContext } from '@x/interfaces'
import type { StateSeal } from './sealed-state.ts'
import { serveAgent } from './serve-agent.ts'
import {
  askClient,
  bindingOf,
  failedResult,
  readDecision,
  readTrace,
  shownText,
  textResult,
  tracerIn,
  type ServedCall,
  type ServedOutcome,
} from './served-call.ts'
import type { McpServerOptions, ServedAgent } from './server-options.ts'
import { isXError } from '@x/kernel'
import { contentOfResult } from '@x/kernel/tool-content'
import { toContentBlock } from '../text/content-blocks.ts'

/** The state that all connections of a server share. */
export interface ServerParts {
  readonly options: McpServerOptions
  readonly seal: StateSeal
  /** Calls under way. */
  readonly calls: Set<ServerContext>
}

/** Makes the SDK's server for one connection, or for one request. */
export function createSdkServer(parts: ServerParts): Server {
  const { name, version = '0.0.0', instructions, tools = [], agents = [] } = parts.options
  const server = new Server({ name, version }, { capabilities: { tools: {} }, ...(instructions && { instructions }) })
  const listed = [...tools.map(toListedTool), ...agents.map(toListedAgent)]
  server.setRequestHandler('tools/list', () => ({ tools: listed }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { calls, options } = parts
    // Before the state of the call is opened, since that counts once.
    if (calls.size >= (options.maxCalls ?? 100)) return failedResult('too many calls are under way; try again later')
    calls.add(context)
    try {
      return await answerCall(parts, await readCall(parts, server, params, context))
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      options.onError?.(error)
      return failedResult(`${params.name} failed; the server knows more`)
    } finally {
      calls.delete(context)
    }
  })
  return server
}

async function answerCall({ options, seal }: ServerParts, call: ServedCall): Promise<ServedOutcome> {
  const tool = options.tools?.find(({ name }) => name === call.name)
  if (tool) return await serveTool(seal, tool, call)
  const agent = options.agents?.find(({ name }) => name === call.name)
  if (agent) return await serveAgent(seal, agent, call)
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'there is no tool of this name')
}

/** Reads a call, and opens the state that the client sends back. */
async function readCall(
  { seal, options: { tracer } }: ServerParts,
  server: Server,
  { name, arguments: args = {} }: CallToolRequest['params'],
  { mcpReq, http }: ServerContext,
): Promise<ServedCall> {
  const caller = http?.authInfo?.clientId ?? ''
  const state: unknown = mcpReq.requestState()
  const waiting = typeof state === 'string' ? await seal.open(state, bindingOf({ caller, name, args })) : undefined
  if (state !== undefined && !waiting) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState')
  }
  const { progressToken, 'x/key': key } = { ...mcpReq._meta } as {
    progressToken?: string | number
    'x/key'?: unknown
  }
  let progress = 0
  return {
    name,
    args,
    caller,
    waiting,
    signal: mcpReq.signal,
    tracer: tracer && tracerIn(tracer, readTrace(mcpReq._meta, http?.req?.headers)),
    // The prefix keeps the keys of different callers apart; the first `/` ends it.
    key: `${caller.replaceAll(/[%/]/gu, encodeURIComponent)}/${typeof key === 'string' ? key.slice(0, 500) : globalThis.crypto.randomUUID()}`,
    canAsk: capabilitiesOf(server, mcpReq.envelope)?.elicitation !== undefined,
    answers: { ...mcpReq.inputResponses },
    async sendProgress(message) {
      if (progressToken === undefined) return
      const params = { progressToken, progress: ++progress, message }
      await mcpReq.notify({ method: 'notifications/progress', params })
    },
  }
}

/** Returns the capabilities of the client: the newest protocol sends them with each request, the older one once a session. */
function capabilitiesOf(server: Server, envelope: object | undefined): { readonly elicitation?: unknown } | undefined {
  const sent = (envelope as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/clientCapabilities']
  return (sent as { elicitation?: unknown } | undefined) ?? server.getClientCapabilities()
}

const toListedTool = ({ name, description, parameters, needsApproval }: Tool): ListedTool => ({
  name,
  description,
  inputSchema: { ...parameters, type: 'object' },
  // A tool that needs approval changes something; a tool without approval may, so nothing is claimed of it.
  ...(needsApproval && { annotations: { readOnlyHint: false } }),
})

const toListedAgent = ({ name, description }: ServedAgent): ListedTool => ({
  name,
  description,
  inputSchema: {
    type: 'object',
    properties: {
      task: { type: 'string', description: 'What is to be done, with everything that is needed to do it.' },
    },
    required: ['task'],
  },
  annotations: { readOnlyHint: false, openWorldHint: true },
})

/** Calls a tool for a client: checks the arguments, and asks for approval where the tool needs one. */
async function serveTool(seal: StateSeal, tool: Tool, call: ServedCall): Promise<ServedOutcome> {
  const valid = (await tool.validate?.(call.args)) ?? { value: call.args }
  if ('issues' in valid) {
    const issues = valid.issues.map(({ path, message }) => `${path.join('.') || 'the arguments'}: ${message}`)
    return failedResult(`the arguments do not fit: ${issues.join('; ')}`)
  }
  const wanted = await needsApprovalOf(tool, call)
  if (wanted !== false) {
    if (!call.canAsk) return failedResult('it needs the approval of a person, and this client can ask nobody')
    if (!call.waiting) {
      const note = typeof wanted === 'string' && wanted !== '' ? ` (${shownText(wanted)})` : ''
      const question = `Call ${tool.name}(${shownText(JSON.stringify(call.args))})?${note}`
      return await askClient(
        seal,
        call,
        { entries: [], pending: ['call'] },
        { call: { message: question, wantsText: false } },
      )
    }
    const decision = readDecision(call.answers['call'])
    if (!decision.allow) return failedResult(`the call was denied: ${decision.reason}`)
  }
  if (call.signal.aborted) return failedResult('the call was cancelled')
  const context: ToolContext = { run: undefined, key: call.key, signal: call.signal }
  const execute = tool.execute as (args: unknown, context: ToolContext) => unknown
  try {
    const result = await execute(valid.value, context)
    const content = contentOfResult(result)
    if (Array.isArray(content)) return { content: content.map(toContentBlock) }
    return textResult(content ?? (typeof result === 'string' ? result : (JSON.stringify(result) ?? '')))
  } catch (error) {
    // These errors are for the model that called the tool; any other error stays on the server.
    if (isXError(error, 'tool-failed') || isXError(error, 'invalid-argument')) return failedResult(error.message)
    throw error
  }
}

async function needsApprovalOf({ needsApproval }: Tool, { args, signal }: ServedCall): Promise<boolean | string> {
  if (typeof needsApproval !== 'function') return needsApproval === true
  return await needsApproval(args, { run: undefined, signal })
}
