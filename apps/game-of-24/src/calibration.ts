/** Chances of the verdicts sure, likely and impossible. */
export type Chances = readonly [sure: number, likely: number, impossible: number]

/** The rates of the stand-in; the keys of tables are counts of remaining numbers. */
export interface Calibration {
  /** Options per reply. */
  readonly options: Readonly<Record<number, number>>
  /** A fixed count of options; null for the counts of the table. */
  readonly fixedOptions: number | null
  /** Weight of a move that keeps 24 reachable in proposals; any other move has 1. */
  readonly goodWeight: Readonly<Record<number, number>>
  /** Share of wrong results among the moves that do not keep 24 reachable. */
  readonly illegal: Readonly<Record<number, number>>
  /** Weight of a fraction below 1. */
  readonly rareWeight: number
  /** Chances of the verdicts on states with 24 in reach, and on others. */
  readonly grade: Readonly<Record<number, { readonly reachable: Chances; readonly hopeless: Chances }>>
  /**
   * Errors that come together: the share of parents whose hopeless thoughts are praised, and the share of those thoughts that
   * are. Repeats agree.
   */
  readonly praiseOfSiblings: { readonly parents: number; readonly thoughts: number }
  /** Chances of the verdicts on right and wrong answers. */
  readonly outcome: { readonly right: Chances; readonly wrong: Chances }
  /** Share of verdicts that stay the same for the same state or answer. */
  readonly agreement: number
  /** Log-weight of a good move in a chain of thought. */
  readonly chainGood: Readonly<Record<number, number>>
  /** Spread of the fixed preferences among moves, in proposals and in chains, which make errors repeat. */
  readonly spread: { readonly proposal: number; readonly chain: number }
  /** Chance of a slip in writing an answer, after a search and after a chain. */
  readonly slip: { readonly answer: number; readonly chain: number }
  /** Chance of recognizing a path that ends at 24 among several, for an answer from all of them. Assumed, not measured. */
  readonly detect: number
  /** Chance of taking another path for one that ends at 24, in the same choice. Assumed too. */
  readonly mistake: number
  /** Weight of a move of an earlier attempt with a low rating. */
  readonly avoid: number
  /** Shares of replies in odd styles, of random verdicts, and of overlooked good moves. */
  readonly noise: { readonly style: number; readonly grade: number; readonly proposal: number }
}

/**
 * Fitted to the published logs of GPT-4 on Game of 24 (princeton-nlp/tree-of-thought-llm, puzzles 901 to 1000): shares of
 * legal and of good proposals, verdicts by truth, agreement of repeated verdicts, survival of chains.
 */
export const GPT4: Calibration = {
  options: { 4: 9.5, 3: 6.4, 2: 4 },
  fixedOptions: null,
  goodWeight: { 4: 1.4, 3: 1.7, 2: 2 },
  illegal: { 4: 0.036, 3: 0.06, 2: 0.15 },
  rareWeight: 0.25,
  grade: {
    3: { reachable: [0.395, 0.531, 0.074], hopeless: [0.001, 0.849, 0.15] },
    2: { reachable: [0.989, 0.002, 0.009], hopeless: [0, 0.24, 0.76] },
    1: { reachable: [1, 0, 0], hopeless: [0, 0.018, 0.982] },
  },
  praiseOfSiblings: { parents: 0, thoughts: 0 },
  outcome: { right: [0.73, 0.01, 0.26], wrong: [0.13, 0.02, 0.85] },
  agreement: 0.8,
  chainGood: { 4: 1.1, 3: 0.15, 2: 6 },
  spread: { proposal: 0.3, chain: 2.5 },
  slip: { answer: 0.12, chain: 0.19 },
  detect: 0.95,
  mistake: 0.02,
  avoid: 0.3,
  noise: { style: 0, grade: 0, proposal: 0 },
}
