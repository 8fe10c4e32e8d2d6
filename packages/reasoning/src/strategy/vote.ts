import { withPlainDigits } from '../read/normalize-reply.ts'
import { ANSWER_WORD } from '../read/words.ts'
import type { AnswerVerdict } from './job.ts'

/** The label before an answer: `The final answer is: …`. A dash behind it is a minus sign, unless a space follows. */
const ANSWER_LABEL = new RegExp(
  `^[\\s*_#>-]*(?:(?:the|die|la|le|el|a|o)\\s+)?(?:(?:final|endgültige|final[ei]?|итоговый|окончательный|最终|最終)\\s*)?(?:${ANSWER_WORD})[\\s*_]*(?:final[ei]?)?\\s*(?:(?:(?:ist|is|est|es|è|é)(?![\\p{L}])|是|为|は)\\s*[:=]?|[:=]|-(?=\\s))?[\\s*_]*`,
  'iu',
)
/** The end of a block, which may stand alone in the last line: `\end{align}`, `</answer>`. */
const BLOCK_END = /\\end\{[^{}]*\}|<\/[^<>]*>/g

/** Normalizes an answer for a vote: the last line with a letter or digit, without label, case, spaces and final full stop. */
export function normalizeAnswer(text: string): string {
  const lines = text.trim().split('\n')
  const said = lines.findLast((each) => /[\p{L}\p{N}]/u.test(each.replaceAll(BLOCK_END, '')))
  return withPlainDigits(said ?? lines.at(-1)!)
    .replace(ANSWER_LABEL, '')
    .replace(/\\boxed\{([^{}]*)\}/, '$1')
    .toLowerCase()
    .replaceAll('\u2212', '-')
    .replaceAll(/[\s*_`$]/g, '')
    .replace(/[.。।]$/, '')
}

/** The result of a vote: the index of the first text of the majority, and its votes; -1 and 0 without texts. */
export interface Majority {
  readonly index: number
  readonly votes: number
}

const NO_MAJORITY: Majority = { index: -1, votes: 0 }

/** Counts votes as they arrive; equal texts are one choice. Only texts with the best score so far have a vote. */
export class Vote {
  readonly #normalize: (text: string) => string
  readonly #counts = new Map<string, Majority>()
  #best = NO_MAJORITY
  #bestScore = -Infinity
  #secondVotes = 0
  #size = 0

  constructor(normalize: (text: string) => string = normalizeAnswer) {
    this.#normalize = normalize
  }

  /** The most frequent text so far; among equals the first. */
  get majority(): Majority {
    return this.#best
  }

  /** Votes of the most frequent text other than the majority. */
  get secondVotes(): number {
    return this.#secondVotes
  }

  /** Adds a text, with the score of a verifier if there is one. */
  add(text: string, score: number = 0): void {
    const index = this.#size++
    if (score < this.#bestScore) return
    if (score > this.#bestScore) this.#beginAt(score)
    const key = this.#normalize(text)
    const known = this.#counts.get(key)
    const count = { index: known?.index ?? index, votes: (known?.votes ?? 0) + 1 }
    this.#counts.set(key, count)
    const { votes, index: first } = this.#best
    const isBest = count.votes > votes || (count.votes === votes && count.index < first)
    if (count.index !== first) this.#secondVotes = Math.max(this.#secondVotes, isBest ? votes : count.votes)
    if (isBest) this.#best = count
  }

  #beginAt(score: number): void {
    this.#bestScore = score
    this.#counts.clear()
    this.#best = NO_MAJORITY
    this.#secondVotes = 0
  }
}

/** Finds the most frequent text, like {@link Vote}. */
export function findMajority(texts: readonly string[], normalize?: (text: string) => string): Majority {
  const vote = new Vote(normalize)
  for (const text of texts) vote.add(text)
  return vote.majority
}

/** An answer as a vote sees it. */
interface VotedAnswer {
  readonly text: string
  readonly verdict: AnswerVerdict | null
}

/** Finds the index of the best of several answers: of those with the best score of a verifier the most frequent; -1 without answers. */
export function findBestAnswer(answers: readonly VotedAnswer[], normalize?: (text: string) => string): number {
  const vote = new Vote(normalize)
  for (const { text, verdict } of answers) vote.add(text, verdict?.score)
  return vote.majority.index
}
