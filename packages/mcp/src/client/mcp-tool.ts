import type { Io, MaybePromise, RunContext } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { failRun } from '@x/kernel/run'
import { toolContent } from '@x/kernel/tool-content'
import { readResult } from '../text/result-text.ts'
import { callServerTool } from './call-tool.ts'
import type { Connector } from './connector.ts'
import type { OpenCalls } from './open-calls.ts'
import type { McpTool, McpToolDefinition } from './tool-definition.ts'
import type { ToolList } from './tool-list.ts'
import type { McpToolsOptions } from './tool-options.ts'

/** A server, as its tools use it. */
export interface ToolServer {
  readonly name: string
  readonly request: Connector['request']
  readonly list: ToolList
  readonly open: OpenCalls
  /** Answers questions in calls that no agent makes. */
  readonly io: Pick<Io, 'input'> | undefined
}

/** Makes a tool for agents of one of a server. */
export function createMcpTool(server: ToolServer, its: McpToolDefinition, options: McpToolsOptions): McpTool {
  const { timeout = 60, totalTimeout = 600, maxResultLength = 100_000, idempotent } = options
  const { list } = server
  const repeatable = idempotent ? idempotent.includes(its.originalName) : its.idempotent
  return Object.freeze({
    name: its.name,
    description: its.description,
    parameters: its.inputSchema,
    needsApproval(args, context): MaybePromise<boolean> {
      const changed = list.hasChanged(its)
      const decide = (hasChanged: boolean): MaybePromise<boolean> =>
        hasChanged || isUnreviewed(its, options) || wantsApproval(its, args, options)
      if (!isThenable(changed)) return decide(changed)
      return changed.then(async (hasChanged) => {
        await list.tell(context)
        return await decide(hasChanged)
      })
    },
    async execute(args, context) {
      refuseBlocking(its, context)
      await list.tell(context)
      const result = await callServerTool(server.name, server.request, server.open, {
        tool: its,
        args,
        key: context.key,
        callId: context.callId ?? null,
        repeatable,
        timeoutMs: timeout * 1000,
        totalMs: totalTimeout * 1000,
        signal: context.signal,
        emit: context.emit,
        io: context.io ?? server.io,
      })
      const { text, content, isError } = readResult(server.name, result, maxResultLength)
      if (isError) throw new XError('tool-failed', text || `the tool ${its.name} failed and did not say why`)
      const [only] = content
      return content.length === 1 && only?.type === 'text' ? only.text : toolContent(content)
    },
  } satisfies McpTool)
}

/** A request to another program has no answer at once. The server gets no call whose answer nobody would read. */
function refuseBlocking(its: McpToolDefinition, { run }: RunContext): void {
  if (run?.face !== 'sync') return
  failRun(
    run,
    new XError(
      'async-in-sync',
      `cannot call the tool \`${its.name}\` in a blocking operation: its MCP server answers later; use the operation without \`Sync\``,
      { details: { name: its.name } },
    ),
  )
}

const isUnreviewed = ({ originalName, fingerprint }: McpToolDefinition, { reviewed }: McpToolsOptions): boolean =>
  reviewed !== undefined && reviewed[originalName] !== fingerprint

function wantsApproval(
  its: McpToolDefinition,
  args: Readonly<Record<string, unknown>>,
  { needsApproval }: McpToolsOptions,
): MaybePromise<boolean> {
  if (typeof needsApproval === 'boolean') return needsApproval
  if (typeof needsApproval === 'function') return needsApproval(its, args)
  const named = needsApproval && Object.hasOwn(needsApproval, its.originalName) && needsApproval[its.originalName]
  return typeof named === 'boolean' && Object.hasOwn(needsApproval ?? {}, its.originalName) ? named : !its.readOnly
}
