/** Tells whether a key of an entry, a header or a parameter holds a secret, by its name. */
export function isSecretName(name: string): boolean {
  // Counts of tokens and the cache key of a prompt are named like secrets.
  return (
    /key|token|secret|auth|cookie|password|credential/iu.test(name) && !/tokens$|^prompt_cache_key$|^tool/iu.test(name)
  )
}
