import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { GradeMode } from './beam.ts'

/** Options of `bestFirst` and `depthFirst`, which keep every open node in one queue. */
export interface FrontierOptions {
  /** Maximum number of expansions; default 20. */
  expansions?: number | undefined
  /** Depth at which a path ends; default 4. */
  maxDepth?: number | undefined
  /** Number of nodes expanded at once: more saves time and costs calls. Default 1. */
  width?: number | undefined
  /** Grade in [0, 1] at which a finished path is answered at once; default 0.85. */
  acceptAt?: number | undefined
  /** Grade in [0, 1] up to which a node is dropped; default 0.12, but no limit in `bestFirst` with a verifier. */
  pruneAt?: number | undefined
  /** Maximum number of expansions of a good node; default 3. */
  widen?: number | undefined
  /** Number of further grades of a finished path before its answer is accepted without a verifier; default 1. */
  confirm?: number | undefined
  /** Maximum number of answers per finished path, until a verifier accepts one or `agree` of them agree; default 3. */
  answers?: number | undefined
  /** Without a verifier: number of answers that must agree, out of `answers`; default 1. For short answers only. */
  agree?: number | undefined
  /** Normalizes an answer for the comparison; default: its last line without label, case and spaces. */
  normalize?: ((text: string) => string) | undefined
  /** The way siblings are graded; default `per-parent`: one call grades all children of a node. */
  gradeMode?: GradeMode | undefined
}

/** Kinds of the options of `bestFirst` and `depthFirst`. */
export const FRONTIER_KINDS: OptionKinds<FrontierOptions> = {
  expansions: kind.limit(1),
  maxDepth: kind.limit(1),
  width: kind.limit(1),
  acceptAt: kind.finite,
  pruneAt: kind.finite,
  widen: kind.limit(0),
  confirm: kind.whole(0),
  answers: kind.whole(1),
  agree: kind.whole(1),
  normalize: kind.call,
  gradeMode: kind.oneOf('each', 'per-parent'),
}

/** The options with all defaults filled in. */
export type FrontierSettings = Omit<
  { readonly [K in keyof FrontierOptions]-?: NonNullable<FrontierOptions[K]> },
  'normalize' | 'pruneAt'
> & {
  readonly pruneAt: number | null
  readonly normalize: ((text: string) => string) | undefined
  readonly deepFirst: boolean
}

/** Fills in the defaults; throws for unknown options and wrong values. */
export function toFrontierSettings(options: FrontierOptions, deepFirst: boolean): FrontierSettings {
  checkOptions(options, FRONTIER_KINDS, deepFirst ? 'make a depth-first search' : 'make a best-first search')
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
  return settings
}
