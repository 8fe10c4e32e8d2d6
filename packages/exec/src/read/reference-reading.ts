import type { CodeBlock } from '@x/interfaces'
import { inferLang } from './infer-lang.ts'

// `\w` of the reference knows the letters of all scripts.
const FENCE = /```[ \t]*([\p{L}\p{N}_]+)?[ \t]*\r?\n(.*?)\r?\n[ \t]*```/gsu
// With ticks allowed, the reference lets a fence hold one line only.
const FENCE_OR_TICKS = /```[ \t]*([\p{L}\p{N}_]+)?[ \t]*\r?\n([^\n]*?)\r?\n[ \t]*```|`([^`]+)`/gu

/**
 * Code blocks as the reference's older reader finds them. A text without any is one block of language `unknown`; with
 * `detectSingleLineCode`, code between single ticks counts too, and a text without any gives nothing.
 */
export function extractCode(
  text: string,
  { detectSingleLineCode = false }: { detectSingleLineCode?: boolean | undefined } = {},
): CodeBlock[] {
  if (!detectSingleLineCode) {
    const blocks = fenced(text)
    return blocks.length > 0 ? blocks : [{ language: 'unknown', code: text }]
  }
  return [...text.matchAll(FENCE_OR_TICKS)].flatMap(([, language = '', code, single]) => {
    if (code) return [{ language: language.trim(), code: code.trim() }]
    return single ? [{ language: '', code: single.trim() }] : []
  })
}

/** Code blocks as the reference's newer reader finds them: nothing for a text without any, languages inferred. */
export function markdownCode(text: string, infer: (code: string) => string = inferLang): CodeBlock[] {
  return fenced(text).map(({ language, code }) => ({ language: language || known(infer(code)), code }))
}

const fenced = (text: string): CodeBlock[] =>
  [...text.matchAll(FENCE)].map(([, language = '', code = '']) => ({ language, code }))

const known = (language: string): string => (language === 'unknown' ? '' : language)
