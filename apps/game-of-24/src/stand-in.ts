import { GPT4, type Calibration } from './calibration.ts'
import { checkAnswer, expressionOf } from './puzzle.ts'
import { Game, keyOf, nameOf, stepOf, type Move } from './moves.ts'
import { compose, stepsIn, type Prompt, type WrittenStep } from './prompt.ts'
import { rational, show, type Rational } from './rational.ts'
import { writeOptions, writeRating, writeRatings, type Style } from './styles.ts'

type Stream = () => number

const VERDICT_NAMES = ['sure', 'likely', 'impossible'] as const

/** Settings of a stand-in. */
export interface StandInSettings {
  /** Every seed is another model of the same calibration; default 1. */
  seed?: number | undefined
  calibration?: Calibration | undefined
  /** The arithmetic of the game; several stand-ins may share its caches. */
  game?: Game | undefined
}

/** Simulates a language model of a given calibration on Game of 24; it reads only the prompt. */
export class StandIn {
  readonly #seed: string
  readonly #game: Game
  readonly #calibration: Calibration
  readonly #preferences = new Map<readonly Move[], readonly number[]>()

  constructor({ seed = 1, calibration = GPT4, game = new Game() }: StandInSettings = {}) {
    this.#seed = String(seed)
    this.#calibration = calibration
    this.#game = game
  }

  /** Replies to a prompt; each sample of a prompt always gets the same reply, whatever was asked before. */
  reply(prompt: Prompt, sample: number): string {
    const name = `${this.#seed}|${prompt.role}|${sample}|${prompt.system.length}|${prompt.user}`
    const stream = streamOf(name)
    const styleStream = streamOf(`style|${name}`)
    // The style has its own random stream: an odd style changes the form of a reply, not its content.
    const style = styleStream() < this.#calibration.noise.style ? { odd: styleStream() } : null
    switch (prompt.role) {
      case 'thinker':
        return this.#think(prompt, stream, style)
      case 'grader':
        return this.#grade(prompt, stream, style)
      case 'grader-of-several':
        return this.#gradeAll(prompt, stream, style)
      case 'judge':
        return this.#judge(prompt, stream, style)
      case 'answerer':
        return this.#answer(prompt, stream)
      case 'merger':
        return this.#merge(prompt, stream)
      case 'chain':
        return this.#chain(prompt, stream)
    }
  }

  #think({ left, steps, tries, rates, scale }: Prompt, stream: Stream, style: Style): string {
    const reflection = `The numbers left are ${left.map(show).join(' ')}.`
    if (left.length < 2) return writeOptions(['TERMINATE'], reflection, style)
    const avoid = new Set<string>()
    for (const { steps: earlierSteps, rating } of tries) {
      const step = earlierSteps[steps.length]
      if (rating !== null && rating <= 3 && step?.a && step.b) avoid.add(nameOf({ op: step.op, a: step.a, b: step.b }))
    }
    const options = this.#proposals(left, stream, avoid).map((move) => {
      const verdict = rates ? `\nRating: ${this.#rating(this.#verdict(move.left, left, stream), scale, stream)}` : ''
      return stepOf(move) + verdict
    })
    return writeOptions(options, reflection, style)
  }

  #proposals(left: readonly Rational[], stream: Stream, avoid: ReadonlySet<string>): Move[] {
    const n = left.length
    const {
      goodWeight,
      rareWeight,
      options,
      fixedOptions,
      illegal,
      noise,
      spread,
      avoid: avoidedWeight,
    } = this.#calibration
    const good = Math.log(goodWeight[n]! * (1 - noise.proposal) + 1e-9)
    const legal = this.#game.moves(left)
    const preferences = this.#preferencesFor(left, legal)
    const moves = legal.map((move, i) => {
      const weight =
        spread.proposal * preferences[i]! +
        (move.good ? good : 0) +
        (move.rare ? Math.log(rareWeight) : 0) +
        (avoid.has(nameOf(move)) ? Math.log(avoidedWeight) : 0)
      return { move, height: weight + gumbel(stream) }
    })
    const average = options[n]!
    const count =
      fixedOptions ?? Math.max(2, Math.round(average + (stream() + stream() + stream() - 1.5) * average * 0.5))
    return moves
      .toSorted((a, b) => b.height - a.height)
      .slice(0, count)
      .map(({ move }) => (!move.good && stream() < illegal[n]! ? wrong(move, stream) : move))
  }

  /** Returns the fixed preferences of this model for the moves with some numbers, which make its errors repeat. */
  #preferencesFor(left: readonly Rational[], moves: readonly Move[]): readonly number[] {
    const known = this.#preferences.get(moves)
    if (known) return known
    const key = keyOf(left)
    const preferences = moves.map((move) => normal(streamOf(`${this.#seed}|preference|${key}|${nameOf(move)}`)))
    this.#preferences.set(moves, preferences)
    return preferences
  }

  /** Judges the numbers after a step; `before` are those before it. */
  #verdict(left: readonly Rational[], before: readonly Rational[], stream: Stream): number {
    const { grade } = this.#calibration
    const isReachable = this.#game.solvable(left)
    const chances = grade[Math.min(3, left.length)]![isReachable ? 'reachable' : 'hopeless']
    const verdict = this.#drawVerdict(`state|${keyOf(left)}`, chances, stream)
    return !isReachable && this.#isPraisedWithSiblings(left, before) ? 0 : verdict
  }

  /** True if the grader takes a liking to the thoughts after some numbers, and this is one of those that it praises. */
  #isPraisedWithSiblings(left: readonly Rational[], before: readonly Rational[]): boolean {
    const { parents, thoughts } = this.#calibration.praiseOfSiblings
    if (parents === 0) return false
    const parent = `${this.#seed}|praise|${keyOf(before)}`
    return streamOf(parent)() < parents && streamOf(`${parent}|${keyOf(left)}`)() < thoughts
  }

  #drawVerdict(name: string, chances: readonly number[], stream: Stream): number {
    const { agreement, noise } = this.#calibration
    const standing = pick(streamOf(`${this.#seed}|standing|${name}`), chances)
    const [changes, fresh, blind, any] = [
      stream() > agreement,
      pick(stream, chances),
      stream(),
      pick(stream, [0.1, 0.5, 0.4]),
    ]
    if (blind < noise.grade) return any
    return changes ? fresh : standing
  }

  #rating(verdict: number, scale: number, stream: Stream): number {
    const height = verdict === 0 ? 0.9 + 0.1 * stream() : verdict === 1 ? 0.35 + 0.3 * stream() : 0.1 * stream()
    return Math.min(scale, Math.max(1, Math.round(1 + height * (scale - 1))))
  }

  #grade({ left, steps, numbers, scale }: Prompt, stream: Stream, style: Style): string {
    const before = steps.at(-2)?.left ?? numbers.map((number) => rational(number))
    const verdict = this.#verdict(left, before, stream)
    const why = `The remaining numbers ${left.map(show).join(' ')} are ${VERDICT_NAMES[verdict]} to reach the target.`
    return writeRating(this.#rating(verdict, scale, stream), scale, { why, style })
  }

  #gradeAll({ left: before, options, scale }: Prompt, stream: Stream, style: Style): string {
    const rows = options.map(({ left }) => {
      const verdict = this.#verdict(left, before, stream)
      return {
        rating: this.#rating(verdict, scale, stream),
        why: `${left.map(show).join(' ')} ${VERDICT_NAMES[verdict]}`,
      }
    })
    return writeRatings(rows, scale, style)
  }

  #judge(prompt: Prompt, stream: Stream, style: Style): string {
    const { user, numbers, scale } = prompt
    // A path that claims to be finished has no answer to check yet.
    if (!/answer\s*:/i.test(user)) return this.#grade(prompt, stream, style)
    const { right, wrong } = this.#calibration.outcome
    const isRight = checkAnswer(user, numbers)
    const verdict = this.#drawVerdict(`answer|${expressionOf(user)}`, isRight ? right : wrong, stream)
    return writeRating(this.#rating(verdict, scale, stream), scale, { why: 'Judged against the question.', style })
  }

  #answer({ numbers, paths }: Prompt, stream: Stream): string {
    const { detect, mistake } = this.#calibration
    const finished = paths.filter((path) => {
      const left = path.at(-1)?.left ?? []
      return stream() < (left.length === 1 && show(left[0]!) === '24' ? detect : mistake)
    })
    const choice = finished.length > 0 ? finished : paths
    return this.#writeAnswer(
      numbers,
      choice[Math.floor(stream() * choice.length)]!,
      stream,
      this.#calibration.slip.answer,
    )
  }

  /** Chooses among answers by the verdicts of a judge. */
  #merge({ answers, numbers }: Prompt, stream: Stream): string {
    const { right, wrong } = this.#calibration.outcome
    const convincing = answers.filter((answer) => {
      const chances = checkAnswer(answer, numbers) ? right : wrong
      return this.#drawVerdict(`answer|${expressionOf(answer)}`, chances, stream) === 0
    })
    const choice = convincing.length > 0 ? convincing : answers
    return `Answer: ${expressionOf(choice[Math.floor(stream() * choice.length)]!)} = 24`
  }

  #chain({ numbers }: Prompt, stream: Stream): string {
    const { chainGood, rareWeight, slip, spread } = this.#calibration
    const lines: string[] = []
    let left: readonly Rational[] = numbers.map((number) => rational(number))
    while (left.length > 1) {
      const count = left.length
      const moves = this.#game.moves(left)
      const preferences = this.#preferencesFor(left, moves)
      const heights = moves.map((move, i) => {
        const good = move.good ? chainGood[count]! : 0
        const weight = spread.chain * preferences[i]! + good + (move.rare ? Math.log(rareWeight) : 0)
        return { move, height: weight + gumbel(stream) }
      })
      const { move } = heights.reduce((best, other) => (other.height > best.height ? other : best))
      lines.push(stepOf(move))
      left = move.left
    }
    const text = lines.join('\n')
    return `${text}\n${this.#writeAnswer(numbers, stepsIn(text), stream, slip.chain)}`
  }

  #writeAnswer(numbers: readonly number[], steps: readonly WrittenStep[], stream: Stream, slip: number): string {
    const composition = compose(numbers, steps)
    const expression = composition?.expression ?? `(${numbers.join(' + ')})`
    const slips = composition && show(composition.value) === '24' && stream() < slip
    return `Answer: ${slips ? expression.replace(/[+*]/, (sign) => (sign === '+' ? '*' : '+')) : expression} = 24`
  }
}

/** Makes a move with a result that is off by one or two. */
function wrong(move: Move, stream: Stream): Move {
  const value = rational(move.value[0] + (stream() < 0.5 ? 1 : 2) * move.value[1], move.value[1])
  return { ...move, value, left: [...move.left.slice(0, -1), value], good: false }
}

/** Makes a stream of numbers in [0, 1) that depends on its name alone. */
function streamOf(name: string): () => number {
  let state = hash(name)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

function hash(text: string): number {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 2654435761)
    b = Math.imul(b ^ text.charCodeAt(i), 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  return (a ^ (a >>> 16)) >>> 0
}

/** Picks an index with the given probabilities. */
function pick(stream: () => number, probabilities: readonly number[]): number {
  let rest = stream()
  const index = probabilities.findIndex((probability) => (rest -= probability) < 0)
  return index < 0 ? probabilities.length - 1 : index
}

/** Draws a normally distributed number. */
const normal = (stream: () => number): number =>
  Math.sqrt(-2 * Math.log(stream() + 1e-12)) * Math.cos(2 * Math.PI * stream())

/** Draws a number of the Gumbel distribution: the highest sum of a log-weight and such a number is a draw by weight. */
const gumbel = (stream: () => number): number => -Math.log(-Math.log(stream() * (1 - 1e-12) + 1e-13))
