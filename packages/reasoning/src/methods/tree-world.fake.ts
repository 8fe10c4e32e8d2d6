import { hash } from '../strategy/random.ts'
import type { Answerer, Grader, Proposer } from '../search/parts.ts'
import type { ThinkNode } from '../tree/think-node.ts'

/** The rates of a world of random trees. */
export interface TreeWorldRates {
  readonly depth: number
  /** Possible next steps, and how many of them a reply has. */
  readonly moves: number
  readonly options: number
  /** Share of good steps among those after a good one. */
  readonly good: number
  /** Chances of praise for right and for wrong steps, ends and answers; other grades are middling or low. */
  readonly praise: { readonly right: number; readonly wrong: number }
  readonly judge: { readonly right: number; readonly wrong: number }
  /** Chance of a low grade for right and wrong ones that are not praised. */
  readonly low: { readonly right: number; readonly wrong: number }
  /** Share of grades that stay the same when they are asked again. */
  readonly standing: number
  /** Share of wrong steps whose grade is that of the parent. */
  readonly inherits: number
  /** Chance that an independent answer is right. */
  readonly alone: number
  /** Chance that the answer of a right path is wrong. */
  readonly slip: number
  /** Number of different wrong answers, and of right ones. */
  readonly wrongTexts: number
  readonly rightTexts: number
  /** Chance of recognizing a right path among several. */
  readonly detect: number
}

/** A problem in a world of random trees: every step is good or not by a hidden draw, and so are the errors of the parts. */
export class TreeWorld {
  readonly #seed: string
  readonly #rates: TreeWorldRates

  constructor(seed: string, rates: TreeWorldRates) {
    this.#seed = seed
    this.#rates = rates
  }

  #draw(name: string): number {
    return hash(`${this.#seed}|${name}`) / 2 ** 32
  }

  isRight(text: string): boolean {
    return text.startsWith('right')
  }

  isGood(node: ThinkNode): boolean {
    for (let at = node; at.parent; at = at.parent)
      if (this.#draw(`good ${this.#pathOf(at)}`) >= this.#rates.good) return false
    return true
  }

  #pathOf(node: ThinkNode): string {
    return node.path
      .slice(1)
      .map(({ content }) => content)
      .join('/')
  }

  get proposer(): Proposer {
    return {
      propose: ({ node, sample }) => {
        const path = this.#pathOf(node)
        const ranked = Array.from({ length: this.#rates.moves }, (_, move) => ({
          content: `step ${move}`,
          height: this.#draw(`likes ${path} ${move}`) + this.#draw(`proposes ${path} ${move} ${sample}`),
        })).toSorted((a, b) => b.height - a.height)
        return {
          text: 'options',
          reflection: '',
          options: ranked.slice(0, this.#rates.options).map(({ content }) => ({ content })),
        }
      },
    }
  }

  get grader(): Grader {
    return {
      grade: ({ nodes, sample, isOutcome }) => ({
        grades: nodes.map((node) => ({
          value: isOutcome ? this.#judge(node, sample) : this.#grade(node, sample),
          details: 'graded',
        })),
      }),
    }
  }

  #grade(node: ThinkNode, sample: number): number {
    const good = this.isGood(node)
    const path = this.#pathOf(node)
    if (!good && node.depth > 1 && this.#draw(`inherits ${path}`) < this.#rates.inherits)
      return this.#grade(node.parent!, sample)
    return this.#drawGrade(`grade ${path}`, sample, { isRight: good, praise: this.#rates.praise })
  }

  #judge(node: ThinkNode, sample: number): number {
    return this.#drawGrade(`judge ${node.content}`, sample, {
      isRight: this.isRight(node.content),
      praise: this.#rates.judge,
    })
  }

  #drawGrade(
    name: string,
    sample: number,
    { isRight, praise }: { isRight: boolean; praise: TreeWorldRates['praise'] },
  ): number {
    const fresh = this.#draw(`changes ${name} ${sample}`) >= this.#rates.standing
    const draw = this.#draw(fresh ? `fresh ${name} ${sample}` : `standing ${name}`)
    const within = this.#draw(`within ${name} ${sample}`)
    const side = isRight ? 'right' : 'wrong'
    if (draw < praise[side]) return 0.8 + 0.2 * within
    return (draw - praise[side]) / (1 - praise[side]) < this.#rates.low[side] ? 0.25 * within : 0.3 + 0.4 * within
  }

  get answerer(): Answerer {
    return {
      answer: ({ from, sample }) => {
        const name = `${from.map((node) => this.#pathOf(node)).join('+')} ${sample}`
        const seen = from.filter(
          (node) =>
            this.#draw(`sees ${this.#pathOf(node)} ${name}`) <
            (this.isGood(node) && node.parent ? this.#rates.detect : 0.02),
        )
        const among = seen.length > 0 ? seen : from
        return { text: this.#answer(among[Math.floor(this.#draw(`picks ${name}`) * among.length)]!, name) }
      },
    }
  }

  #answer(node: ThinkNode, name: string): string {
    const { depth, slip, alone, wrongTexts, rightTexts } = this.#rates
    const path = this.#pathOf(node)
    const chance =
      node.depth === 0 ? alone : this.isGood(node) ? (1 - slip) * (node.depth >= depth ? 1 : this.#rates.good) : 0
    const of = (texts: number, about: string): number => Math.floor(texts * this.#draw(about) ** 2)
    if (this.#draw(`solves ${name}`) < chance) return `right ${of(rightTexts, `right ${path}`)}`
    const faithful = node.depth > 0 && this.#draw(`solves ${name}`) < 1 - slip
    return `wrong ${of(wrongTexts, faithful ? `wrong ${path}` : `slip ${name}`)}`
  }

  get verifier(): (answer: string) => boolean {
    return (answer) => this.isRight(answer)
  }
}

/** Draws the rates of a world from a broad range; `change` sets some of them. */
export function drawRates(seed: string, change: Partial<TreeWorldRates> = {}): TreeWorldRates {
  const draw = (name: string): number => hash(`${seed}|rates|${name}`) / 2 ** 32
  const between = (name: string, low: number, high: number): number => low + (high - low) * draw(name)
  const good = between('good', 0.1, 0.6)
  const depth = 2 + Math.floor(3 * draw('depth'))
  const wrongPraise = between('false', 0, 0.4) ** 1.5
  return {
    depth,
    moves: 4 + Math.floor(12 * draw('moves')),
    options: 2 + Math.floor(4 * draw('options')),
    good,
    praise: { right: wrongPraise + (1 - wrongPraise) * between('true', 0.2, 1), wrong: wrongPraise },
    judge: { right: between('judge', 0.4, 0.95), wrong: between('misjudge', 0.02, 0.3) },
    low: { right: between('low right', 0, 0.3), wrong: between('low wrong', 0.2, 0.95) },
    standing: between('standing', 0, 1),
    inherits: draw('inherits') < 0.5 ? 0 : between('inherited', 0, 0.5),
    alone: Math.min(0.95, good ** (depth * between('alone', 0.3, 1.2))),
    slip: between('slip', 0.02, 0.3),
    wrongTexts: 2 + Math.floor(40 * draw('texts') ** 2),
    rightTexts: draw('many') < 0.5 ? 1 : 4,
    detect: draw('detects') < 0.3 ? 0 : between('detect', 0.2, 0.95),
    ...change,
  }
}
