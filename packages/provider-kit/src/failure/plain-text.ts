/** Returns the beginning of the words of an HTML page, or of any other text. */
export function plainText(text: string): string {
  const plain = text.slice(0, MOST_READ).replaceAll(/<(?:style|script)[\s\S]*?<\/(?:style|script)>|<[^>]*>/gu, ' ')
  return plain.replaceAll(/\s+/gu, ' ').trim().slice(0, 300)
}

/** Characters in which tags are looked for: a hostile text could make that take long. */
const MOST_READ = 8192
