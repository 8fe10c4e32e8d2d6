import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import type { McpResult } from './mcp-result.ts'
import { plainText } from './plain-text.ts'

/** Reads a result; its text has at most `longest` characters. */
export function readResult(server: string, result: CallToolResult, longest: number): McpResult {
  const { content, structuredContent, isError = false } = result
  const texts = content.map((block) => blockText(block))
  // Servers say the same in both; where one does not, the structure is what there is.
  if (structuredContent !== undefined && texts.length === 0) texts.push(JSON.stringify(structuredContent))
  return {
    text: inert(plainText(texts.join('\n'), longest), server),
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

/** Some agents end a chat with a message that is or ends with this word; a server may not. */
const inert = (text: string, server: string): string =>
  /TERMINATE\W*$/iu.test(text) ? `${text}\n(end of what ${server} gave)` : text

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type}: ${plainText(block.mimeType, 100)}, ${bytesOf(block.data)} bytes]`
    case 'resource_link':
      return `[resource: ${plainText(block.name, 200)} at ${plainText(block.uri, 2000)}]`
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return resource.text
      return `[resource: ${plainText(resource.uri, 2000)}, ${bytesOf(resource.blob)} bytes]`
    }
    default:
      return ''
  }
}

const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4)
