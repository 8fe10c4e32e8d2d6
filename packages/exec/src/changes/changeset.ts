import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CodeResult } from '@x/interfaces'
import { targetInside } from './links.ts'
import { isNamed, riskOf, type EntryKind } from './risk-marks.ts'

/** A change of a file, directory or link of the user's, and what became of it. */
export type Change = NonNullable<CodeResult['changes']>[number]

/** The changes that come back to the user's directory: those without a mark, or all that can. */
export type ApplyPolicy = 'safe' | 'all'

/** The rules by which changes are judged. */
export interface ChangeRules {
  readonly apply: ApplyPolicy
  /** Names and paths whose changes come back in spite of a mark. */
  readonly writable: readonly string[]
}

/** A change before it is judged. */
export interface FoundChange {
  readonly name: string
  readonly kind: Change['kind']
  readonly entry: EntryKind
  /** Target of a link that was added or changed. */
  readonly target?: string | undefined
}

/** Changes that a result lists at most. */
export const MAX_LISTED_CHANGES = 1_000

/** Reason to hold back a link, whatever the policy. */
export const LEADS_OUT = 'the link leads out of the directory'

/** Reason to hold back a change of a file that is no longer the one that was copied. */
export const IN_CONFLICT = 'the original was changed meanwhile'

/** Reason to hold back a change that cannot be made where it belongs. */
export const IN_THE_WAY = 'something that stays is in its place, or its directory stays away'

/** Marks a change, and decides whether it is held back; `held` is the reason. */
export function judge(
  { name, kind, entry, target }: FoundChange,
  { apply, writable }: ChangeRules,
  isRepository: (directory: string) => boolean,
): Change {
  const inside = target === undefined ? name : targetInside(name, target)
  const mark =
    riskOf(name, entry, isRepository) ??
    (target !== undefined && inside ? riskOf(inside, 'link', isRepository) : undefined)
  const change = { name, kind, entry, ...(mark && { risk: mark.reason }) }
  const isAllowed = !mark || apply === 'all' || isNamed(name, writable)
  const held = inside === null ? LEADS_OUT : isAllowed ? undefined : mark.reason
  return { ...change, ...(held !== undefined && { held }), ...(mark?.isRoutine && { isRoutine: true }) }
}

/** Returns why a block cannot be saved under a name in the user's directory; null if it can. */
export function guardedText(root: string, name: string, { apply, writable }: ChangeRules): string | null {
  const isRepository = (directory: string): boolean => existsSync(join(root, directory, 'HEAD'))
  const mark = riskOf(name, 'file', isRepository)
  if (!mark || apply === 'all' || isNamed(name, writable)) return null
  return `Filename is read-only: \`${name}\` (${mark.reason}). Name it in \`writable\` to change it`
}

/** Held changes that a text names; the rest is counted. */
const MAX_TOLD_CHANGES = 20

/** Characters of a name that a text shows. */
const MAX_NAME_LENGTH = 200

/** Returns the sentence that tells model and user which changes were held back; null if there is nothing to tell. */
export function heldText(changes: readonly Change[]): string | null {
  const held = changes.filter((change) => change.held !== undefined && change.isRoutine !== true)
  if (held.length === 0) return null
  const lines = held
    .slice(0, MAX_TOLD_CHANGES)
    .map(({ name, kind, held }) => `- ${JSON.stringify(name.slice(0, MAX_NAME_LENGTH))} ${kind}: ${held}`)
  const more = held.length > MAX_TOLD_CHANGES ? [`- and ${held.length - MAX_TOLD_CHANGES} more`] : []
  return ['Not written to the directory of the user (later blocks see these changes):', ...lines, ...more, ''].join(
    '\n',
  )
}
