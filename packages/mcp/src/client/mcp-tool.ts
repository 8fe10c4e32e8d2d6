import type { Io, MaybePromise, Run, RunContext, TraceContext } from '@x/interfaces'
import { XError, isThenable } from '@x/kernel'
import { failRun, scopeOf } from '@x/kernel/run'
import { toolContent } from '@x/kernel/tool-content'
import { readResult } from '../text/mcp-result.ts'
import type { Connector } from './connector.ts'
import type { OpenCalls } from './elicit.ts'
import type { McpTool, McpToolDefinition } from './tool-definition.ts'
import type { ToolList } from './tool-list.ts'
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
      const unreviewed = isUnreviewed(definition, options) && notReviewed(definition, options)
      const decide = (hasChanged: boolean): MaybePromise<boolean | string> =>
        unreviewed || (hasChanged && CHANGED_MEANWHILE) || needsApprovalOf(definition, args, options)
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

/** Finds the tool as a review had it, or its fingerprint alone; nothing if nobody has reviewed it. */
function reviewOf({ originalName }: McpToolDefinition, { reviewed = {} }: McpToolsOptions): Partial<McpToolDefinition> {
  if (isList(reviewed)) return reviewed.find((each) => each.originalName === originalName) ?? {}
  return Object.hasOwn(reviewed, originalName) ? { fingerprint: reviewed[originalName]! } : {}
}

// `Array.isArray` does not know lists that are read only.
const isList = (reviewed: NonNullable<McpToolsOptions['reviewed']>): reviewed is readonly McpToolDefinition[] =>
  Array.isArray(reviewed)

const isUnreviewed = (definition: McpToolDefinition, options: McpToolsOptions): boolean =>
  options.reviewed !== undefined && reviewOf(definition, options).fingerprint !== definition.fingerprint

const CHANGED_MEANWHILE = 'its server has changed it since this program took the list of tools'

/** Says what is different in a tool since it was reviewed, to whoever is asked for the approval. */
function notReviewed(definition: McpToolDefinition, options: McpToolsOptions): string {
  const before = reviewOf(definition, options)
  if (before.fingerprint === undefined) return 'nobody has reviewed this tool'
  const known = differenceOf(before, definition)
  return `it is not as it was reviewed: ${known ?? 'its fingerprint is another one; keep its definition to see what changed'}`
}

/** Parts of a definition that a review has read. */
const REVIEWED_PARTS = [
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'readOnly',
  'idempotent',
  'destructive',
] as const

/** Most characters of a part of a difference. */
const MAX_DIFFERENCE_LENGTH = 300

/** Tells the parts of a tool that are different, each from where the two texts part; undefined if none is known to be. */
function differenceOf(before: Partial<McpToolDefinition>, now: McpToolDefinition): string | undefined {
  const parts = REVIEWED_PARTS.flatMap((part) => {
    const [was, is] = [before, now].map((tool) => textOfPart(tool[part]))
    if (!Object.hasOwn(before, part) || was === is) return []
    let same = 0
    while (same < was!.length && was![same] === is![same]) same++
    const from = Math.max(0, same - 20)
    const [old, next] = [was!, is!].map(
      (text) => (from > 0 ? '…' : '') + plainLine(text.slice(from), MAX_DIFFERENCE_LENGTH),
    )
    return [`its \`${part}\` was \`${old}\` and is \`${next}\``]
  })
  return parts.length > 0 ? parts.join('; ') : undefined
}

const textOfPart = (part: unknown): string => (typeof part === 'string' ? part : (JSON.stringify(part) ?? 'nothing'))

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
