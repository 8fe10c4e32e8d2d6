import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolRequest,
  type ServerContext,
  type Tool as ListedTool,
} from '@modelcontextprotocol/server'
import type { Tool } from '@x/interfaces'
import type { StateSeal } from './sealed-state.ts'
import { serveAgent } from './serve-agent.ts'
import { serveTool } from './serve-tool.ts'
import { bindingOf, failed, type ServedCall, type ServedOutcome } from './served-call.ts'
import type { McpServerOptions, ServedAgent } from './server-options.ts'

/** The parts that all connections of a server share. */
export interface ServerParts {
  readonly options: McpServerOptions
  readonly seal: StateSeal
  /** Calls under way. */
  readonly calls: Set<ServedCall>
}

/** Makes the SDK's server for one connection, or for one request. */
export function createSdkServer(parts: ServerParts): Server {
  const { name, version = '0.0.0', instructions, tools = [], agents = [] } = parts.options
  const server = new Server({ name, version }, { capabilities: { tools: {} }, ...(instructions && { instructions }) })
  const listed = [...tools.map(listedTool), ...agents.map(listedAgent)]
  server.setRequestHandler('tools/list', () => ({ tools: listed }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const call = await servedCall(parts, server, params, context)
    if (parts.calls.size >= (parts.options.maxCalls ?? 100))
      return failed('too many calls are under way; try again later')
    parts.calls.add(call)
    try {
      return await answer(parts, call)
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      parts.options.onError?.(error)
      return failed(`${call.name} failed; the server knows more`)
    } finally {
      parts.calls.delete(call)
    }
  })
  return server
}

async function answer({ options, seal }: ServerParts, call: ServedCall): Promise<ServedOutcome> {
  const tool = options.tools?.find(({ name }) => name === call.name)
  if (tool) return await serveTool(seal, tool, call)
  const agent = options.agents?.find(({ name }) => name === call.name)
  if (agent) return await serveAgent(seal, agent, call)
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'there is no tool of this name')
}

async function servedCall(
  { seal }: ServerParts,
  server: Server,
  { name, arguments: args = {} }: CallToolRequest['params'],
  { mcpReq, http, sessionId }: ServerContext,
): Promise<ServedCall> {
  const caller = http?.authInfo?.clientId ?? ''
  const state: unknown = mcpReq.requestState()
  const waiting = typeof state === 'string' ? await seal.open(state, bindingOf({ caller, name, args })) : undefined
  if (state !== undefined && !waiting) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState')
  }
  const { progressToken, 'x/key': given } = { ...mcpReq._meta } as {
    progressToken?: string | number
    'x/key'?: unknown
  }
  let told = 0
  return {
    ...{ name, args, caller, waiting, signal: mcpReq.signal },
    // A key of a client counts among its own alone.
    key: typeof given === 'string' ? `${caller}/${given.slice(0, 500)}` : `${caller}/${globalThis.crypto.randomUUID()}`,
    canAsk: capabilitiesOf(server, mcpReq.envelope, sessionId)?.elicitation !== undefined,
    answers: { ...mcpReq.inputResponses },
    async tell(message) {
      if (progressToken === undefined) return
      const params = { progressToken, progress: ++told, message }
      await mcpReq.notify({ method: 'notifications/progress', params })
    },
  }
}

/** What the client can do: the newest protocol says it with each request, the older one at the beginning of a session. */
function capabilitiesOf(
  server: Server,
  envelope: object | undefined,
  _session: string | undefined,
): { readonly elicitation?: unknown } | undefined {
  const sent = (envelope as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/clientCapabilities']
  return (sent as { elicitation?: unknown } | undefined) ?? server.getClientCapabilities()
}

const listedTool = ({ name, description, parameters, needsApproval }: Tool): ListedTool => ({
  name,
  description,
  inputSchema: { ...parameters, type: 'object' },
  // What never asks may still change something; what may ask is not for nothing.
  ...(needsApproval && { annotations: { readOnlyHint: false } }),
})

const listedAgent = ({ name, description }: ServedAgent): ListedTool => ({
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
