import type { CacheClaim } from '@x/interfaces'
import type { AnswerFile } from './answer-file.ts'

/** What a claim in a file is made with. */
export interface FileClaimOptions {
  /** Tells the claim from every other. */
  readonly token: string
  /** Seconds. */
  readonly lease: number
  /** Gives the time in milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Claims a key in a file; null while another has it. While another process holds the file, nobody is asked: the claim then
 * is one that nobody else sees.
 */
export function claimInFile(file: AnswerFile, key: string, { token, lease, now }: FileClaimOptions): CacheClaim | null {
  const at = now()
  const made = file.use('write', ({ claim }) => claim.run(key, token, at, at + lease * 1000))
  if (made && Number(made.value.changes) === 0) return null
  return {
    renew(seconds) {
      const since = now()
      const renewed = file.use('write', ({ renew }) => renew.run(since, since + seconds * 1000, key, token, since))
      return renewed !== undefined && Number(renewed.value.changes) > 0
    },
    release() {
      file.use('write', ({ unclaim }) => unclaim.run(key, token))
    },
  }
}
