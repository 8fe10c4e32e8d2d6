import type { ChatMessage, CodeBlock, CodeReader } from '@x/interfaces'

const FENCE = /^[ \t]*```[ \t]*([\w+#-]*)[^\n]*\n([^]*?)\n?^[ \t]*```[ \t]*$/gmu

/** Reads fenced code out of messages: enough for the recordings where a world brings no reader of its own. */
export const fencedCode: CodeReader = {
  extractCode: (content) =>
    [...textOf(content).matchAll(FENCE)].map(([, language = '', code = '']): CodeBlock => ({ language, code })),
  inferLang: (code) => (/^(?:echo|cd|ls|pip|apt) /u.test(code) ? 'sh' : 'python'),
}

function textOf(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}
