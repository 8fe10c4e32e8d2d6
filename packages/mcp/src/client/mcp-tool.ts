import type { Io, MaybePromise, Run, RunContext, TraceContext } from '@x/interfaces'
import { XError, isThenable } from '@x/kernel'
import { failRun, scopeOf } from '@x/kernel/run'
import { toolContent } from '@x/kernel/tool-content'
import { readResult } from '../text/mcp-result.ts'
import type { Connector } from './connector.ts'
import type { OpenCalls } from './elicit.ts'
import type { McpTool, McpToolDefinition } from './tool-definition.ts'
import type { ToolList } from './tool-list.ts'
import { reviewNote } from './tool-review.ts'
import type { McpToolsOptions } from './tool-options.ts'
import type { CallToolResult, Progress } from '@modelcontextprotocol/client'
import { plainLine } from '../text/plain-text.ts'

/** The parts of a server that its tools use. */
export interface ToolServer {
  readonly name: string
  readonly request: Connector['request']
  readonly list: ToolList
  readonly open: OpenCalls
  /** Answers questions in calls outside of agents. */
  readonly io: Pick<Io, 'input'> | undefined
}

/** The note of a call whose tool is no longer as it was listed. */
const CHANGED_MEANWHILE = 'its server has changed it since this program took the list of tools'

/** Makes a tool for agents from a tool of a server. */
export function createMcpTool(server: ToolServer, definition: McpToolDefinition, options: McpToolsOptions): McpTool {
  const { timeout = 60, totalTimeout = 600, maxResultLength = 100_000, idempotent } = options
  const { list } = server
  const repeatable = idempotent ? idempotent.includes(definition.originalName) : definition.idempotent
  return Object.freeze({
    name: definition.name,
    description: definition.description,
    parameters: definition.inputSchema,
    needsApproval(args, context): MaybePromise<boolean | string> {
      const change = list.hasChanged(definition)
      const note = reviewNote(definition, options)
      const decide = (hasChanged: boolean): MaybePromise<boolean | string> =>
        note ?? (hasChanged ? CHANGED_MEANWHILE : needsApprovalOf(definition, args, options))
      if (!isThenable(change)) return decide(change)
      return Promise.resolve(change).then(async (hasChanged) => {
        await list.warnOfChanges(context)
        return await decide(hasChanged)
      })
    },
    async execute(args, context) {
      refuseBlocking(definition, context)
      await list.warnOfChanges(context)
      const result = await callServerTool(server, {
        tool: definition,
        args,
        key: context.key,
        trace: traceOf(context),
        callId: context.callId ?? null,
        repeatable,
        timeoutMs: timeout * 1000,
        totalTimeoutMs: totalTimeout * 1000,
        signal: context.signal,
        emit: context.emit,
        io: context.io ?? server.io,
      })
      const { text, content, isError } = readResult(server.name, result, maxResultLength)
      if (isError) throw new XError('tool-failed', text || `the tool ${definition.name} failed and did not say why`)
      const [only] = content
      return content.length === 1 && only?.type === 'text' ? only.text : toolContent(content)
    },
  } satisfies McpTool)
}

/** Returns the trace context of a call, if requests of its run carry it. */
function traceOf({ run }: RunContext): TraceContext | undefined {
  const scope = run && scopeOf(run)
  return scope?.trace?.propagates ? scope.trace.contextOf(scope.spanId) : undefined
}

/** Refuses a blocking call before it is sent, because the answer of a server always arrives later. */
function refuseBlocking({ name }: McpToolDefinition, { run }: RunContext): void {
  if (run?.face !== 'sync') return
  failRun(
    run,
    new XError(
      'async-in-sync',
      `cannot call the tool \`${name}\` in a blocking operation: its MCP server answers later; use the operation without \`Sync\``,
      { details: { name } },
    ),
  )
}

function needsApprovalOf(
  tool: McpToolDefinition,
  args: Readonly<Record<string, unknown>>,
  { needsApproval, trust }: McpToolsOptions,
): MaybePromise<boolean | string> {
  if (typeof needsApproval === 'boolean') return needsApproval
  if (typeof needsApproval === 'function') return needsApproval(tool, args)
  const flag =
    needsApproval && Object.hasOwn(needsApproval, tool.originalName) ? needsApproval[tool.originalName] : undefined
  return typeof flag === 'boolean' ? flag : !(trust === 'annotations' && tool.readOnly)
}

/** Name of the key of a call in the `_meta` of its request. */
const CALL_KEY_META = 'x/key'

/** Most progress events of one call. */
const MAX_PROGRESS_EVENTS = 1000

/** A call of a tool of a server. */
interface ServerCall {
  readonly tool: McpToolDefinition
  readonly args: Readonly<Record<string, unknown>>
  /** Globally unique key of the call, the same whenever a chat is resumed. */
  readonly key: string | undefined
  /** Sent as `traceparent` and `tracestate` of `_meta`, as the protocol has it. */
  readonly trace?: TraceContext | undefined
  readonly callId: string | null
  readonly repeatable: boolean
  /** Timeout without progress. */
  readonly timeoutMs: number
  /** Timeout of the whole call. */
  readonly totalTimeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly emit: Run['emit'] | undefined
  /** Answers questions of the server during the call. */
  readonly io: Pick<Io, 'input'> | undefined
}

const metaOf = ({ key, trace }: ServerCall): Record<string, unknown> => ({
  ...(key !== undefined && { [CALL_KEY_META]: key }),
  ...trace,
})

/** Calls a tool of a server. */
export async function callServerTool(
  { name: server, request, open }: ToolServer,
  call: ServerCall,
): Promise<CallToolResult> {
  const { tool, args, key, trace, repeatable, signal, timeoutMs, totalTimeoutMs } = call
  const { originalName: name, inputSchema } = tool
  const end = open.begin(call.io)
  try {
    return await request({
      what: `call the tool \`${name}\``,
      repeatable,
      signal,
      send: async ({ client }) =>
        await client.callTool(
          { name, arguments: { ...args }, ...((key ?? trace) !== undefined && { _meta: metaOf(call) }) },
          {
            timeout: timeoutMs,
            maxTotalTimeout: totalTimeoutMs,
            resetTimeoutOnProgress: true,
            ...(signal && { signal }),
            onprogress: createProgressHandler(server, call),
            // The SDK does not get the schema of results: it would compile it, and the server is not trusted.
            toolDefinition: { name, inputSchema: inputSchema as { type: 'object' } },
          },
        ),
    })
  } finally {
    end()
  }
}

/** Makes the handler that sends progress as events; a listener that throws ends the run by itself. */
function createProgressHandler(server: string, { tool, callId, emit }: ServerCall): (progress: Progress) => void {
  let sent = 0
  return ({ progress, total, message }) => {
    if (!emit || ++sent > MAX_PROGRESS_EVENTS) return
    const send = async (): Promise<void> =>
      await emit({
        type: 'toolProgress',
        agent: null,
        source: server,
        name: tool.name,
        callId,
        progress,
        total: total ?? null,
        message: message === undefined ? null : plainLine(message, 500),
      })
    send().catch(() => {})
  }
}
