import { element } from './dom.js'

const FENCE = /^```([\w+-]*)\n([^]*?)(?:^```[^\S\n]*$|(?![^]))/gmu
const MARKS = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|^#{1,6} +(.+)$|\*([^*\s][^*\n]*)\*/gmu

/** A text as nodes: code between fences, `code`, **strong**, *emphasis*, headings, and dots for `-`; everything else as it is. */
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

/** The pieces of a text between matches, with what is made of each match. */
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
