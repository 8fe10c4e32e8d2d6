import type { McpToolDefinition } from './tool-definition.ts'
import type { McpToolsOptions } from './tool-options.ts'
import { plainLine } from '../text/plain-text.ts'

/**
 * Says to whoever is asked for an approval why the review does not cover a tool, and what is different since; null if it does, or
 * if there is no review.
 */
export function reviewNote(definition: McpToolDefinition, options: McpToolsOptions): string | null {
  if (options.reviewed === undefined) return null
  const before = reviewOf(definition, options)
  if (before.fingerprint === definition.fingerprint) return null
  if (before.fingerprint === undefined) return 'nobody has reviewed this tool'
  const known = differenceOf(before, definition)
  return `it is not as it was reviewed: ${known ?? 'its fingerprint is another one; keep its definition to see what changed'}`
}

/** Finds the tool as a review had it, or its fingerprint alone; nothing if nobody has reviewed it. */
function reviewOf({ originalName }: McpToolDefinition, { reviewed = {} }: McpToolsOptions): Partial<McpToolDefinition> {
  if (isList(reviewed)) return reviewed.find((each) => each.originalName === originalName) ?? {}
  return Object.hasOwn(reviewed, originalName) ? { fingerprint: reviewed[originalName]! } : {}
}

// `Array.isArray` does not know lists that are read only.
const isList = (reviewed: NonNullable<McpToolsOptions['reviewed']>): reviewed is readonly McpToolDefinition[] =>
  Array.isArray(reviewed)

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
