/** A text in which one npm scope is another; addresses (`a@x.org`) and longer names (`@xyz/a`) stay. */
export function renameScope(text: string, from: string, to: string): string {
  return text.replaceAll(new RegExp(`(?<![\\w.-])@${from}(?![\\w-]|\\.\\w)`, 'g'), `@${to}`)
}
