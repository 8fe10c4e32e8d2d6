import type { CodeReader, ChatMessage } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { fencedCode } from './fenced-reading.ts'
import { inferLangOfMessage, inferLang } from './infer-lang.ts'
import { extractCode, markdownCode } from './reference-reading.ts'
import { XError } from '@x/kernel'

/** How to find code in markdown: by its fences as markdown defines them, or as one of the two readers of the Python library. */
export type Reading = 'fenced' | 'reference' | 'reference-legacy'

/** Options of {@link codeReader}. */
export interface CodeReaderOptions {
  /** How to find code in a text; default `fenced`. */
  readonly reading?: Reading | undefined
  /** Guesses the language of code without a label; default {@link inferLang}. */
  readonly inferLang?: ((code: string) => string) | undefined
}

/** Kinds of the options of {@link codeReader}. */
export const CODE_READER_KINDS: OptionKinds<CodeReaderOptions> = {
  reading: kind.oneOf('fenced', 'reference', 'reference-legacy'),
  inferLang: kind.call,
}

/** Creates a reader that extracts code from messages. */
export function codeReader(options: CodeReaderOptions = {}): CodeReader {
  checkOptions(options, CODE_READER_KINDS, 'run `codeReader`')
  const { reading = 'fenced', inferLang: given } = options
  return {
    inferLang: given ?? inferLang,
    extractCode(content) {
      const infer = given ?? inferLangOfMessage()
      const text = contentText(content)
      if (reading === 'reference-legacy') return extractCode(text)
      if (reading === 'reference') return markdownCode(text, infer)
      return fencedCode(text).map(({ language, code }) => {
        const label = language || infer(code)
        return { language: label === 'unknown' ? '' : label, code }
      })
    },
  }
}

/** Returns the text of a message: text parts joined, `<image>` for an image part, an empty text for no content. */
export function contentText(content: ChatMessage['content']): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw unreadableContent(content)
  return content.map(partText).join('')
}

function partText(part: unknown): string {
  const { type, text } = (typeof part === 'object' && part !== null ? part : {}) as { type?: unknown; text?: unknown }
  if (type === 'text' && typeof text === 'string') return text
  if (type === 'image_url') return '<image>'
  if (typeof type === 'string') return ''
  throw unreadableContent(part)
}

const unreadableContent = (value: unknown): XError =>
  new XError(
    'invalid-argument',
    `cannot read code from content of type \`${typeof value}\`: give text or content parts`,
  )
