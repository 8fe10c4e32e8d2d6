import { XError } from '@x/kernel'
import type { GradeMode } from './beam.ts'

/** Options of the searches that keep every open node in one queue. */
export interface FrontierOptions {
  /** Nodes expanded at most; default 20. */
  expansions?: number | undefined
  /** Depth at which a path ends; default 4. */
  maxDepth?: number | undefined
  /** Nodes expanded at once; more saves time and costs calls. Default 1. */
  width?: number | undefined
  /** Grade in [0, 1] from which an answer is made of a finished path at once; default 0.85. */
  acceptAt?: number | undefined
  /** Grade in [0, 1] up to which a node is given up; default 0.12; none in best first with a verifier. */
  pruneAt?: number | undefined
  /** How often a good node may be asked again for other options; default 3. */
  widen?: number | undefined
  /** Further grades of a finished path before its answer is taken without a verifier; default 1. */
  confirm?: number | undefined
  /** Tries per finished path while a verifier rejects; default 3. */
  answers?: number | undefined
  /** Without a verifier: answers that must agree, out of `answers`; default 1. Only for answers that can be compared. */
  agree?: number | undefined
  /** What of an answer is compared; default: its last line without label, case and spaces. */
  normalize?: ((text: string) => string) | undefined
  /** Default `per-parent`: one call grades all children of a node. */
  gradeMode?: GradeMode | undefined
}

/** The options with their defaults. */
export type FrontierSettings = Omit<
  { readonly [K in keyof FrontierOptions]-?: NonNullable<FrontierOptions[K]> },
  'normalize' | 'pruneAt'
> & {
  readonly pruneAt: number | null
  readonly normalize: ((text: string) => string) | undefined
  readonly deepFirst: boolean
}

/** Fills in the defaults; refuses what would search nothing. */
export function settingsOf(options: FrontierOptions, deepFirst: boolean): FrontierSettings {
  const settings: FrontierSettings = {
    expansions: options.expansions ?? 20,
    maxDepth: options.maxDepth ?? 4,
    width: options.width ?? 1,
    acceptAt: options.acceptAt ?? 0.85,
    pruneAt: options.pruneAt ?? null,
    confirm: options.confirm ?? 1,
    widen: options.widen ?? 3,
    answers: options.answers ?? 3,
    agree: options.agree ?? 1,
    normalize: options.normalize,
    gradeMode: options.gradeMode ?? 'per-parent',
    deepFirst,
  }
  for (const key of ['expansions', 'maxDepth', 'width', 'answers', 'agree'] as const) {
    if (settings[key] >= 1) continue
    throw new XError('invalid-argument', `a search was given \`${key}: ${settings[key]}\`: give at least 1`)
  }
  return settings
}
