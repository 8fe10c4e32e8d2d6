/** Shortens a text to about `max` characters: a note replaces the middle and tells its length. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  const note = `\n… ${text.length - max} characters left out …\n`
  const head = Math.ceil(max * 0.6)
  return `${text.slice(0, head)}${note}${text.slice(text.length - (max - head))}`
}

/** Shortens the longest of several texts, so that all together have about `max` characters; short texts stay whole. */
export function fitTexts(texts: readonly string[], max: number): readonly string[] {
  let rest = max
  if (texts.reduce((sum, text) => sum + text.length, 0) <= max) return texts
  let level = 0
  const lengths = texts.map((text) => text.length).toSorted((a, b) => a - b)
  for (const [i, length] of lengths.entries()) {
    level = Math.floor(rest / (lengths.length - i))
    if (length > level) break
    rest -= length
  }
  return texts.map((text) => shorten(text, level))
}
