import type { ContentPart } from '@x/interfaces'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { toolContent } from '@x/kernel/tool-content'
import { blockText, toContentPart } from './content-blocks.ts'
import { plainText } from './plain-text.ts'

/** An image or sound of a result. */
interface McpMedia {
  readonly type: 'image' | 'audio'
  readonly mimeType: string
  /** Bytes in base64. */
  readonly data: string
}

/** A resource that a result names; `readResource` reads it. */
interface McpLink {
  readonly uri: string
  readonly name: string
  readonly mimeType: string | undefined
}

/** The result of a tool of a server. All of it comes from the server and must not be trusted. */
export interface McpResult {
  /** Text for a model without vision: texts, texts of embedded resources, and a line for each other block. */
  readonly text: string
  /** Content for a model: texts, images, sounds and files, and a line for each link and each unsupported block. */
  readonly content: readonly ContentPart[]
  /** True if the server reports that the tool failed. */
  readonly isError: boolean
  /** The structured result; undefined without one. */
  readonly structured: unknown
  readonly media: readonly McpMedia[]
  readonly links: readonly McpLink[]
}

/** Reads a result; its text has at most `maxLength` characters, and so have the texts of its parts together. */
export function readResult(server: string, result: CallToolResult, maxLength: number): McpResult {
  const { content, structuredContent, isError = false } = result
  const texts = content.map((block) => blockText(block))
  // Most servers repeat the structured result as text; it is the text where they do not.
  if (structuredContent !== undefined && texts.length === 0) texts.push(JSON.stringify(structuredContent))
  const text = defuseTermination(plainText(texts.join('\n'), maxLength), server)
  const parts = content.map(toContentPart)
  const isText = parts.every(({ type }) => type === 'text')
  return {
    text,
    content: isText ? [{ type: 'text', text }] : toolContent(limitParts(parts, server, maxLength)).parts,
    isError,
    structured: structuredContent,
    media: content.flatMap((block) =>
      block.type === 'image' || block.type === 'audio'
        ? [{ type: block.type, mimeType: plainText(block.mimeType, 100), data: block.data }]
        : [],
    ),
    links: content.flatMap((block) =>
      block.type === 'resource_link'
        ? [{ uri: block.uri, name: plainText(block.name, 200), mimeType: block.mimeType }]
        : [],
    ),
  }
}

/** Makes the texts of parts safe to show, and cuts them to `maxLength` characters together. */
function limitParts(parts: readonly ContentPart[], server: string, maxLength: number): ContentPart[] {
  let left = maxLength
  return parts.flatMap((part): ContentPart[] => {
    if (part.type !== 'text') return [part]
    if (left <= 0) return []
    const text = defuseTermination(plainText(part.text, left), server)
    left -= part.text.length
    return [{ type: 'text', text }]
  })
}

/** Defuses a termination word at the end of a text: it would end a chat, which a server may not do. */
const defuseTermination = (text: string, server: string): string =>
  /TERMINATE\W*$/iu.test(text) ? `${text}\n(end of what ${server} gave)` : text
