import { posix } from 'node:path'
import type { CodeExecutor, CodeResult } from '@x/interfaces'
import { markedPlaces, targetInside } from './links.ts'
import { isNamed, plainName, riskOf, type EntryKind, type RiskMark } from './risk-marks.ts'

/** A change of a file, directory or link of the user's, and what became of it. */
export type Change = NonNullable<CodeResult['changes']>[number]

/** Options of an execution of code. */
export type CodeExecutionOptions = NonNullable<Parameters<CodeExecutor['executeCodeBlocks']>[1]>

/** Chooses the changes that come back to the user's directory. */
export type ChooseChanges = NonNullable<CodeExecutionOptions['chooseChanges']>

/** The changes that come back: all that can, all without a mark, none, or certain paths by name. */
export type Choice = Awaited<ReturnType<ChooseChanges>>

/** The changes that come back where nobody chooses. `unasked`: none, since nobody was there to be asked. */
export type ApplyPolicy = 'safe' | 'all' | 'unasked'

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
  /** Kind of the user's entry that a change replaces, if it is another one. */
  readonly was?: EntryKind | undefined
}

/** Changes that wait for a choice, as plain data. */
export interface Proposal {
  /** Number by which the backend knows them. */
  readonly id: number
  readonly changes: readonly Change[]
  /** The changes with their lines, as a text to show. */
  readonly diff: string
}

/** Changes that a result lists at most. */
export const MAX_LISTED_CHANGES = 1_000

/** Proposals without a choice that a backend remembers; changes of older ones are proposed again. */
export const MAX_PROPOSALS = 16

/** Reason to hold back a link, whatever the policy. */
export const LEADS_OUT = 'the link leads out of the directory'

/** Reason to hold back a change of a file that is no longer the one that was copied. */
export const IN_CONFLICT = 'the original was changed meanwhile'

/** Reason to hold back a change that cannot be made where it belongs. */
export const IN_THE_WAY = 'something that stays is in its place, or its directory stays away'

/** Reason to hold back all changes of a directory that somebody has removed. */
export const DIRECTORY_GONE = 'the directory is gone'

/** Reason to hold back a change that is no longer the one that was shown. */
export const CHANGED_SINCE = 'it was changed again after it was shown'

/** Reason to hold back a change that was not chosen. */
const NOT_CHOSEN = 'it was not allowed'

/** Reason to hold back a change that somebody had to allow. */
const UNASKED = 'nobody was there to allow it'

/** Facts of the user's directory for a judge. */
export interface DirectoryFacts {
  /** Returns true for the path of a directory with a file `HEAD`; the root is the empty text. */
  readonly isRepository: (directory: string) => boolean
  /** Returns the mark of a path to which a marked link or a setting of the user's leads. */
  readonly markedPlace: (path: string) => RiskMark | undefined
}

/**
 * Returns what a judge has to know of a directory of the user's, from the names of its entries and of those that code has
 * changed, and from its links. Looks when it is first asked.
 */
export function directoryFacts(
  root: string,
  names: () => Iterable<string>,
  links: () => Iterable<string>,
): DirectoryFacts {
  let repositories: Set<string> | undefined
  const find = (): Set<string> => {
    const heads = [...names()].filter((name) => plainName(posix.basename(name)) === 'head')
    return new Set(heads.map((name) => (posix.dirname(name) === '.' ? '' : posix.dirname(name))))
  }
  return {
    isRepository: (directory) => (repositories ??= find()).has(directory),
    markedPlace: markedPlaces(root, links),
  }
}

/** Judges changes by rules, or by a choice. */
export class ChangeJudge {
  readonly #rules: ChangeRules
  readonly #facts: DirectoryFacts
  /** Names of a choice; undefined without one. */
  readonly #chosen: ReadonlySet<string> | undefined
  readonly #apply: Exclude<Choice, readonly string[]> | 'unasked' | 'chosen'

  constructor(rules: ChangeRules, facts: DirectoryFacts, choice?: Choice) {
    this.#rules = rules
    this.#facts = facts
    this.#chosen = Array.isArray(choice) ? withParents(choice as readonly string[]) : undefined
    this.#apply = this.#chosen ? 'chosen' : ((choice as Exclude<Choice, readonly string[]>) ?? rules.apply)
  }

  /** Marks a change, and decides whether it is held back; `held` is the reason. */
  judge({ name, kind, entry, target, was }: FoundChange): Change {
    const inside = target === undefined ? name : targetInside(name, target)
    const mark =
      this.#markOf(name, entry) ??
      (was === undefined ? undefined : this.#markOf(name, was)) ??
      (target !== undefined && inside ? this.#markOf(inside, 'link') : undefined)
    const held = inside === null ? LEADS_OUT : this.#reasonToHold({ name, kind, entry }, mark?.reason)
    return {
      name,
      kind,
      entry,
      ...(target !== undefined && { target }),
      ...(mark && { risk: mark.reason }),
      ...(held !== undefined && { held }),
      ...(mark?.isRoutine && { isRoutine: true }),
    }
  }

  #markOf(path: string, entry: EntryKind): RiskMark | undefined {
    return riskOf(path, entry, this.#facts.isRepository) ?? this.#facts.markedPlace(path)
  }

  #reasonToHold({ name, kind, entry }: FoundChange, risk: string | undefined): string | undefined {
    switch (this.#apply) {
      case 'all':
        return undefined
      case 'safe':
        return risk === undefined || isNamed(name, this.#rules.writable) ? undefined : risk
      case 'chosen': {
        const isParent = kind === 'added' && entry === 'directory'
        return this.#chosen!.has(name) || (isParent && this.#chosen!.has(`${name}/`)) ? undefined : NOT_CHOSEN
      }
      case 'unasked':
        return UNASKED
      default:
        return NOT_CHOSEN
    }
  }
}

/** Parts changes into those that somebody may choose, as they are judged, and the rest, which the rules decide on. */
export function partByChoice<T extends { readonly change: FoundChange }>(
  found: readonly T[],
  rules: ChangeRules,
  facts: DirectoryFacts,
): { readonly open: readonly { readonly one: T; readonly change: Change }[]; readonly rest: readonly T[] } {
  const judge = new ChangeJudge({ ...rules, apply: 'all' }, facts)
  const judged = found.map((one) => ({ one, change: judge.judge(one.change) }))
  const open = judged.filter(({ change }) => change.held === undefined && change.isRoutine !== true)
  return { open, rest: judged.filter((each) => !open.includes(each)).map(({ one }) => one) }
}

/** Returns names, and the directories above them with a `/` at the end. */
function withParents(names: readonly string[]): ReadonlySet<string> {
  const all = new Set(names)
  for (const name of names)
    for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) all.add(name.slice(0, end + 1))
  return all
}
