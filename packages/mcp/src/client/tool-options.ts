import { XError } from '@x/kernel'
import { checkOptions, kind, nearestName, type OptionKinds } from '@x/kernel/options'
import type { MaybePromise } from '@x/interfaces'
import { MAX_SHOWN_NAME_LENGTH, plainLine } from '../text/plain-text.ts'
import type { McpToolDefinition } from './tool-definition.ts'

/** Decides whether a call needs approval. */
type McpApproval = (tool: McpToolDefinition, args: Readonly<Record<string, unknown>>) => MaybePromise<boolean | string>

/** Options of the tools of a server: which of them an agent gets, and how they are called. */
export interface McpToolsOptions {
  /** Original names of the tools to use, or `all`. */
  readonly allow: readonly string[] | 'all'
  /**
   * Whether calls need approval: for all tools, by original name, or by a function. Default, and for names without an
   * entry: yes, unless `trust` says otherwise. A tool that has changed since it was listed always needs it.
   */
  readonly needsApproval?: boolean | Readonly<Record<string, boolean>> | McpApproval | undefined
  /** `annotations`: tools that the server calls read-only need no approval. Default: what a server says of itself decides nothing. */
  readonly trust?: 'annotations' | undefined
  /**
   * Tools that somebody has reviewed: their fingerprints by original name, or the `definitions` of then, as a file such as
   * `mcp.lock.json` keeps them. A tool with another fingerprint needs approval, and the note of the call says what changed
   * if the definitions are there.
   */
  readonly reviewed?: Readonly<Record<string, string>> | readonly McpToolDefinition[] | undefined
  /** Tools with calls that may run twice after a failure; default: tools that the server calls idempotent. */
  readonly idempotent?: readonly string[] | undefined
  /** Timeout of a call without progress, in seconds; default 60. */
  readonly timeout?: number | undefined
  /** Timeout of a whole call, in seconds; default 600. */
  readonly totalTimeout?: number | undefined
  /** Most characters of text of a result; default 100,000. Images and files have limits of their own (`toolContent`). */
  readonly maxResultLength?: number | undefined
}

const ALLOW_KIND = { ...kind.either(kind.list, kind.oneOf('all')), expected: "a list of names, or 'all'" }

const MCP_TOOLS_KINDS: OptionKinds<McpToolsOptions> = {
  allow: ALLOW_KIND,
  needsApproval: {
    ...kind.either(kind.flag, kind.either(kind.object, kind.call)),
    expected: 'true, false, an object of flags by name, or a function',
  },
  trust: kind.oneOf('annotations'),
  reviewed: { ...kind.either(kind.object, kind.list), expected: 'fingerprints by name, or a list of definitions' },
  idempotent: kind.list,
  timeout: kind.timeout,
  totalTimeout: kind.timeout,
  maxResultLength: kind.whole(100),
}

/** Words of other clients for the options of tools. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  'names only include allowedTools toolFilter filter': "write `allow`, a list of names or 'all'",
  'requireApproval approval': 'write `needsApproval`',
  'timeoutMs requestTimeout': 'write `timeout`, in seconds',
}

/** Checks options, and returns the tools that they allow. */
export function allowedTools(
  server: string,
  options: McpToolsOptions,
  known: readonly McpToolDefinition[],
): readonly McpToolDefinition[] {
  const what = `use tools of the MCP server \`${server}\``
  checkOptions(options ?? {}, MCP_TOOLS_KINDS, what, FOREIGN_WORDS)
  const names = known.map(({ originalName }) => originalName)
  const shown = (some: readonly string[], quote: string): string[] =>
    some.map((name) => `${quote}${plainLine(name, MAX_SHOWN_NAME_LENGTH)}${quote}`)
  const { allow, needsApproval, reviewed, idempotent } = options ?? {}
  if (allow === undefined) {
    throw new XError(
      'invalid-argument',
      `cannot ${what}: name them, as in { allow: [${shown(names.slice(0, 3), "'").join(', ')}] }, or write allow: 'all'`,
    )
  }
  const mentioned = [
    ...(allow === 'all' ? [] : allow),
    ...(typeof needsApproval === 'object' ? Object.keys(needsApproval) : []),
    // A tool of the list that is gone needs no review.
    ...(Array.isArray(reviewed) ? [] : Object.keys(reviewed ?? {})),
    ...(idempotent ?? []),
  ]
  const unknown = mentioned.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const near = nearestName(unknown, names, true)
    const remedy = near
      ? `did you mean ${shown([near], '`').join('')}?`
      : `it has ${shown(names.slice(0, 30), '`').join(', ')}`
    throw new XError('unknown-tool', `cannot ${what}: it has no tool \`${unknown}\`; ${remedy}`, {
      details: { name: unknown, known: names },
    })
  }
  return allow === 'all' ? known : known.filter(({ originalName }) => allow.includes(originalName))
}
