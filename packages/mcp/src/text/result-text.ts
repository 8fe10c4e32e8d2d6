import type { CallToolResult } from '@modelcontextprotocol/client'
import type { ContentPart } from '@x/interfaces'
import { toolContent } from '@x/kernel/tool-content'
import { blockText, partOf } from './content-blocks.ts'
import type { McpResult } from './mcp-result.ts'
import { plainText } from './plain-text.ts'

/** Reads a result; its text has at most `longest` characters, and so have the texts of its parts together. */
export function readResult(server: string, result: CallToolResult, longest: number): McpResult {
  const { content, structuredContent, isError = false } = result
  const texts = content.map((block) => blockText(block))
  // Servers say the same in both; where one does not, the structure is what there is.
  if (structuredContent !== undefined && texts.length === 0) texts.push(JSON.stringify(structuredContent))
  const text = inert(plainText(texts.join('\n'), longest), server)
  const parts = content.map(partOf)
  const isText = parts.every(({ type }) => type === 'text')
  return {
    text,
    content: isText ? [{ type: 'text', text }] : toolContent(boundedParts(parts, server, longest)).parts,
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

/** Parts whose texts are fit to be shown and have at most `longest` characters together; what is beyond is left out. */
function boundedParts(parts: readonly ContentPart[], server: string, longest: number): ContentPart[] {
  let left = longest
  return parts.flatMap((part): ContentPart[] => {
    if (part.type !== 'text') return [part]
    if (left <= 0) return []
    const text = inert(plainText(part.text, left), server)
    left -= part.text.length
    return [{ type: 'text', text }]
  })
}

/** Some agents end a chat with a message that is or ends with this word; a server may not. */
const inert = (text: string, server: string): string =>
  /TERMINATE\W*$/iu.test(text) ? `${text}\n(end of what ${server} gave)` : text
