import type { CacheStore, StoredAnswer } from '@x/interfaces'

/** A place for answers that several processes share, in one process: each client is a store of its own. */
export class SharedPlace {
  readonly answers = new Map<string, StoredAnswer>()
  readonly claims = new Map<string, { readonly owner: string; until: number }>()
  /** Claims that were given, by owner. */
  readonly given: string[] = []

  /** A store as one process has it; what a dead process asks for does not happen. */
  client(owner: string, isDead: () => boolean = () => false): CacheStore {
    const { answers, claims, given } = this
    const held = (key: string): boolean => claims.get(key)?.owner === owner && claims.get(key)!.until > Date.now()
    return {
      name: `shared by ${owner}`,
      get: async (key) => structuredClone(answers.get(key)),
      async set(key, value) {
        if (!isDead()) answers.set(key, structuredClone(value))
      },
      async claim(key, lease) {
        if ((claims.get(key)?.until ?? 0) > Date.now()) return null
        const made = { owner, until: Date.now() + lease * 1000 }
        claims.set(key, made)
        given.push(owner)
        return {
          async renew(seconds) {
            if (isDead() || !held(key)) return false
            made.until = Date.now() + seconds * 1000
            return true
          },
          async release() {
            if (!isDead() && held(key)) claims.delete(key)
          },
        }
      },
    }
  }
}
