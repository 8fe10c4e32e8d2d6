import type { GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/client'
import type { McpContents, McpPromptMessage } from './readable.ts'

/** Reads the messages of a prompt; what is not text becomes a line that says so. */
export const readPrompt = ({ messages }: GetPromptResult): McpPromptMessage[] =>
  messages.map(({ role, content }) => ({
    role,
    text:
      content.type === 'text'
        ? content.text
        : content.type === 'resource' && 'text' in content.resource
          ? content.resource.text
          : `[${content.type}]`,
  }))

/** Reads the parts of a resource. */
export const readContents = ({ contents }: ReadResourceResult): McpContents[] =>
  contents.map((its) => ({
    uri: its.uri,
    mimeType: its.mimeType,
    text: 'text' in its ? its.text : undefined,
    data: 'blob' in its ? its.blob : undefined,
  }))
