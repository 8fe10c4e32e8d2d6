/** Tells the URLs of a server. */
export interface ServerUrl {
  readonly protocol: RegExp
  readonly example: string
  /** False for a URL with the right protocol that the client cannot read. Default: the client tells at its first connection. */
  readonly isReadable?: (url: string) => boolean
}

/** Returns what is wrong with a URL; undefined for nothing. It does not quote the URL, which may hold a password. */
export function urlProblem(url: unknown, { protocol, example, isReadable }: ServerUrl): string | undefined {
  if (typeof url !== 'string' || !protocol.test(url)) return `such as \`${example}\``
  if (isReadable?.(url) === false) {
    return 'with special characters of its password encoded, such as `%23` for `#`: it cannot be read as it is'
  }
  return undefined
}
