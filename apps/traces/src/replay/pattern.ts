/**
 * A regular expression as the reference's language reads it: flags in front, `\A` and `\Z` for the ends, and a last `$`
 * that is also before the last line end.
 */
export function pattern(when: string): RegExp {
  const [, flags = '', rest = ''] = /^(?:\(\?([aimsux]+)\))?([^]*)$/u.exec(when)!
  const source = rest
    .replaceAll(String.raw`\A`, '^')
    .replaceAll(String.raw`\Z`, END_OF_TEXT)
    .replaceAll('(?P<', '(?<')
    .replace(/(?<!\\)\$$/u, flags.includes('m') ? '$' : `(?=\\n?${END_OF_TEXT})`)
  return new RegExp(source, flags.replaceAll(/[^ims]/gu, ''))
}

const END_OF_TEXT = '(?![^])'
