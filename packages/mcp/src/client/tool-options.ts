import { XError } from '@x/kernel'
import { checkOptions, kind, nearestName, type OptionKinds } from '@x/kernel/options'
import type { MaybePromise } from '@x/interfaces'
import type { McpToolDefinition } from './tool-definition.ts'

/** Says whether somebody has to approve of a call. */
export type McpApproval = (tool: McpToolDefinition, args: Readonly<Record<string, unknown>>) => MaybePromise<boolean>

/** Options that say which tools of a server an agent gets, and how they are called. */
export interface McpToolsOptions {
  /** The server's own names of the tools to use, or `all`. */
  readonly allow: readonly string[] | 'all'
  /**
   * Whether somebody has to approve of a call: for all tools, by the server's own names, or by a function. Default, and
   * for names that are not listed: whatever the server does not call read-only. A tool that has changed since it was
   * listed always asks.
   */
  readonly needsApproval?: boolean | Readonly<Record<string, boolean>> | McpApproval | undefined
  /** Fingerprints of tools as somebody has reviewed them, by the server's own names; another one asks for approval. */
  readonly reviewed?: Readonly<Record<string, string>> | undefined
  /** Tools whose calls may be sent again where they may have been executed; default: those that the server calls idempotent. */
  readonly idempotent?: readonly string[] | undefined
  /** Seconds a call may take without news of its progress; default 60. */
  readonly timeout?: number | undefined
  /** Seconds a call may take in all; default 600. */
  readonly totalTimeout?: number | undefined
  /** Characters of text that a model reads of a result; default 100,000. Images and files have limits of their own (`toolContent`). */
  readonly maxResultLength?: number | undefined
}

const ALLOW = { ...kind.either(kind.list, kind.oneOf('all')), expected: "a list of names, or 'all'" }

const KINDS: OptionKinds<McpToolsOptions> = {
  allow: ALLOW,
  needsApproval: {
    ...kind.either(kind.flag, kind.either(kind.object, kind.call)),
    expected: 'true, false, an object of flags by name, or a function',
  },
  reviewed: kind.object,
  idempotent: kind.list,
  timeout: kind.timeout,
  totalTimeout: kind.timeout,
  maxResultLength: kind.whole(100),
}

/** Checks options, and gives the tools that they allow. */
export function allowedTools(
  server: string,
  options: McpToolsOptions,
  known: readonly McpToolDefinition[],
): readonly McpToolDefinition[] {
  const what = `use tools of the MCP server \`${server}\``
  checkOptions(options ?? {}, KINDS, what)
  const names = known.map(({ originalName }) => originalName)
  const { allow, needsApproval, reviewed, idempotent } = options ?? {}
  if (allow === undefined) {
    throw new XError(
      'invalid-argument',
      `cannot ${what}: name them, as in { allow: [${names
        .slice(0, 3)
        .map((name) => `'${name}'`)
        .join(', ')}] }, or write allow: 'all'`,
    )
  }
  const named = [
    ...(allow === 'all' ? [] : allow),
    ...(typeof needsApproval === 'object' ? Object.keys(needsApproval) : []),
    ...Object.keys(reviewed ?? {}),
    ...(idempotent ?? []),
  ]
  const unknown = named.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const near = nearestName(unknown, names, true)
    const remedy = near ? `did you mean \`${near}\`?` : `it has \`${names.slice(0, 30).join('`, `')}\``
    throw new XError('unknown-tool', `cannot ${what}: it has no tool \`${unknown}\`; ${remedy}`, {
      details: { name: unknown, known: names },
    })
  }
  return allow === 'all' ? known : known.filter(({ originalName }) => allow.includes(originalName))
}
