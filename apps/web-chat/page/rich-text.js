import { element } from './dom.js'

const FENCE = /^```([\w+-]*)\n([^]*?)(?:^```[^\S\n]*$|(?![^]))/gmu
const MARKS = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|^#{1,6} +(.+)$|\*([^*\s][^*\n]*)\*/gmu

/** Converts a text to nodes: fenced code, `code`, **strong**, *emphasis*, headings, and dots for `-`; everything else stays as it is. */
export function richText(text) {
  const parts = split(text, FENCE, ([, language, code]) =>
    element('pre', { tabIndex: 0, ariaLabel: language || 'code' }, element('code', {}, code.replace(/\n$/u, ''))),
  )
  const hasCode = parts.some((part) => typeof part !== 'string')
  return parts.flatMap((part) => (typeof part === 'string' ? marked(hasCode ? part.trim() : part) : [part]))
}

const marked = (text) =>
  split(text.replaceAll(/^(\s*)[-*] /gmu, '$1• '), MARKS, ([, code, strong, heading, emphasis]) => {
    if (code) return element('code', {}, code)
    const bold = strong ?? heading
    return bold ? element('strong', {}, bold) : element('em', {}, emphasis)
  })

/** Splits a text at the matches of a pattern, and converts each match. */
function split(text, pattern, make) {
  const parts = []
  let from = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) parts.push(text.slice(from, match.index))
    parts.push(make(match))
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}
