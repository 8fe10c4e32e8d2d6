import { isSpecType, type JSONRPCMessage } from '@modelcontextprotocol/client'
import { plainText } from '../text/plain-text.ts'

/** Most objects and lists inside each other, in one tool or one part of a result. */
const MAX_PART_DEPTH = 200

/** Key in the `_meta` of a listed tool that says why the tool is left out. */
export const LEFT_OUT_META = 'x/left-out'

type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Replaces the broken tools and content blocks of an answer by ones that say why they are left out. The SDK refuses a whole
 * answer for one broken part, and neither it nor anything after it can take a part of any depth.
 */
export function leaveOutBrokenParts<M extends JSONRPCMessage>(message: M): M {
  const { result } = message as { readonly result?: unknown }
  if (!isObject(result)) return message
  const { tools, content, structuredContent } = result
  const repaired: Record<string, unknown> = { ...result }
  if (Array.isArray(tools)) repaired['tools'] = tools.map(soundTool)
  if (Array.isArray(content)) repaired['content'] = content.map(soundBlock)
  if (structuredContent !== undefined && isTooDeep(structuredContent)) {
    delete repaired['structuredContent']
    repaired['content'] = [
      ...(Array.isArray(content) ? (repaired['content'] as unknown[]) : []),
      textBlock(`[structured result left out: it is nested deeper than ${MAX_PART_DEPTH} levels]`),
    ]
  }
  return { ...message, result: repaired }
}

function soundTool(tool: unknown): unknown {
  const why = defectOf(tool, isSpecType.Tool, 'a tool')
  if (why === undefined) return tool
  const name = isObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : ''
  return { name, inputSchema: { type: 'object' }, _meta: { [LEFT_OUT_META]: why } }
}

function soundBlock(block: unknown): unknown {
  const why = defectOf(block, isSpecType.ContentBlock, 'content')
  if (why === undefined) return block
  const type = isObject(block) && typeof block['type'] === 'string' ? plainText(block['type'], 100) : 'content'
  return textBlock(`[${type} left out: ${why}]`)
}

/** Says why a part cannot be used; undefined for a sound one. Depth comes first: `isSound` would run out of stack. */
function defectOf(part: unknown, isSound: (part: unknown) => boolean, noun: string): string | undefined {
  if (isTooDeep(part)) return `it is nested deeper than ${MAX_PART_DEPTH} levels`
  return isSound(part) ? undefined : `it is not ${noun} as the protocol describes it`
}

const textBlock = (text: string): JsonObject => ({ type: 'text', text })

/** Tells whether a value has too many levels; it does not use the stack. */
function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_PART_DEPTH) return true
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return false
}
