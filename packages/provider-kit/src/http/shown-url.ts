/** Returns a URL without credentials and query, to show it in errors. */
export function shownUrl(url: string): string {
  return url.replace(/\/\/[^/@]*@/u, '//').replace(/\?.*$/u, '')
}
