import type { CallToolResult, Progress } from '@modelcontextprotocol/client'
import type { Io, Run } from '@x/interfaces'
import { plainLine } from '../text/plain-text.ts'
import type { Connector } from './connector.ts'
import type { McpToolDefinition } from './tool-definition.ts'
import type { OpenCalls } from './open-calls.ts'

/** Name of the key of a call in the `_meta` of its request: the same whenever a chat is resumed. */
const KEY_META = 'x/key'

/** Events of progress that one call may send. */
const MOST_PROGRESS = 1000

/** A call of a tool. */
export interface ServerCall {
  readonly tool: McpToolDefinition
  readonly args: Readonly<Record<string, unknown>>
  /** Names the call in the whole world. */
  readonly key: string | undefined
  readonly callId: string | null
  readonly repeatable: boolean
  /** Milliseconds without news, and in all. */
  readonly timeoutMs: number
  readonly totalMs: number
  readonly signal: AbortSignal | undefined
  readonly emit: Run['emit'] | undefined
  /** Who answers questions of the server meanwhile. */
  readonly io: Pick<Io, 'input'> | undefined
}

/** Calls a tool of a server. */
export async function callServerTool(
  server: string,
  request: Connector['request'],
  open: OpenCalls,
  call: ServerCall,
): Promise<CallToolResult> {
  const { tool, args, key, repeatable, signal, timeoutMs, totalMs } = call
  const { originalName: name, inputSchema } = tool
  const end = open.begin(call.io)
  try {
    return await request({
      what: `call the tool \`${name}\``,
      repeatable,
      signal,
      send: async ({ client }) =>
        await client.callTool(
          { name, arguments: { ...args }, ...(key !== undefined && { _meta: { [KEY_META]: key } }) },
          {
            timeout: timeoutMs,
            maxTotalTimeout: totalMs,
            resetTimeoutOnProgress: true,
            ...(signal && { signal }),
            onprogress: progressTeller(server, call),
            // What results look like is the server's affair: its schema is not run as a program on what it sends.
            toolDefinition: { name, inputSchema: inputSchema as { type: 'object' } },
          },
        ),
    })
  } finally {
    end()
  }
}

/** Sends the progress of a call as events; a listener that fails has ended the run by itself. */
function progressTeller(server: string, { tool, callId, emit }: ServerCall): (progress: Progress) => void {
  let sent = 0
  return ({ progress, total, message }) => {
    if (!emit || ++sent > MOST_PROGRESS) return
    const told = async (): Promise<void> =>
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
    told().catch(() => {})
  }
}
