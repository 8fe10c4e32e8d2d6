import type { CodeReader } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { contentText } from './content-text.ts'
import { fencedCode } from './fenced-reading.ts'
import { inferenceOfMessage, inferLang } from './infer-lang.ts'
import { extractCode, markdownCode } from './reference-reading.ts'

/** Ways to read markdown: by its fences as markdown defines them, or as one of the two readers of the Python library. */
export type Reading = 'fenced' | 'reference' | 'reference-legacy'

/** Options of {@link codeReader}. */
export interface CodeReaderOptions {
  /** Default `fenced`. */
  readonly reading?: Reading | undefined
  /** Guesses the language of code without a label; default {@link inferLang}. */
  readonly inferLang?: ((code: string) => string) | undefined
}

/** Kinds of the options of a reader. */
export const KINDS: OptionKinds<CodeReaderOptions> = {
  reading: kind.oneOf('fenced', 'reference', 'reference-legacy'),
  inferLang: kind.call,
}

/** Makes a reader of the code in messages. */
export function codeReader(options: CodeReaderOptions = {}): CodeReader {
  checkOptions(options, KINDS, 'run `codeReader`')
  const { reading = 'fenced', inferLang: given } = options
  return {
    inferLang: given ?? inferLang,
    extractCode(content) {
      const infer = given ?? inferenceOfMessage()
      const text = contentText(content)
      if (reading === 'reference-legacy') return extractCode(text)
      if (reading === 'reference') return markdownCode(text, infer)
      return fencedCode(text).map(({ language, code }) => {
        const its = language || infer(code)
        return { language: its === 'unknown' ? '' : its, code }
      })
    },
  }
}
