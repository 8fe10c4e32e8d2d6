/** Replaces an npm scope in a text; leaves addresses (`a@x.org`) and longer names (`@xyz/a`) alone. */
export function renameScope(text: string, from: string, to: string): string {
  return text.replaceAll(new RegExp(`(?<![\\w.-])@${from}(?![\\w-]|\\.\\w)`, 'g'), `@${to}`)
}
