import { BareModel, type Calibration, type Game, StandInClient } from '../src/index.ts'
import { modelParts, type SearchParts } from '@x/reasoning'

/** The parts of a search that ask a model. */
type AskingParts = Pick<SearchParts, 'proposer' | 'grader' | 'answerer'>

/** A kind of question to the stand-in. */
type Question = 'options' | 'grades' | 'verdicts' | 'chain' | 'answer' | 'pooled answer' | 'merge'

const QUESTIONS: readonly Question[] = ['options', 'grades', 'verdicts', 'chain', 'answer', 'pooled answer', 'merge']

/** The fields of a calibration on which the replies to a kind of question depend. */
const FIELDS: Readonly<Record<Question, readonly (keyof Calibration)[]>> = {
  options: ['options', 'fixedOptions', 'goodWeight', 'illegal', 'rareWeight', 'spread', 'avoid', 'noise'],
  grades: ['grade', 'praiseOfSiblings', 'agreement', 'noise'],
  // A path that claims to be finished is judged by its numbers.
  verdicts: ['outcome', 'grade', 'praiseOfSiblings', 'agreement', 'noise'],
  chain: ['chainGood', 'rareWeight', 'spread', 'slip', 'noise'],
  answer: ['slip', 'noise'],
  'pooled answer': ['slip', 'detect', 'mistake', 'noise'],
  merge: ['outcome', 'agreement', 'noise'],
}

/** The kinds of questions of a search. */
export type Asked = ReadonlySet<Question>

/** The parts of a search in one world. */
export interface WorldParts {
  readonly parts: AskingParts
  /** Returns the kinds of questions that the parts were asked since the last call. */
  readonly takeAsked: () => Asked
  /** Returns a text that is equal for worlds whose replies to these kinds of questions are equal. */
  readonly likeness: (asked: Asked) => string
}

/**
 * The replies of stand-ins to the questions of one puzzle with one seed. An equal question gets an equal reply in each world
 * with equal fields for it, so it is asked once for all worlds, methods and budgets.
 */
export class Replies {
  readonly #game: Game
  readonly #seed: number
  readonly #memory = new Map<string, unknown>()
  /** Short names of the fields of worlds. */
  readonly #fields = new Map<string, string>()

  constructor({ game, seed }: { game: Game; seed: number }) {
    this.#game = game
    this.#seed = seed
  }

  /** Makes the parts of a world. */
  in(calibration: Calibration): WorldParts {
    const client = new StandInClient({ seed: this.#seed, game: this.#game, calibration })
    const { proposer, grader, answerer } = modelParts({ model: new BareModel(client) })
    const fields = new Map(QUESTIONS.map((question) => [question, this.#shortNameOf(calibration, question)]))
    let asked = new Set<Question>()
    const once = <T>(question: Question, text: string, ask: () => T): T => {
      asked.add(question)
      const key = `${fields.get(question)}\n${text}`
      const known = this.#memory.get(key) as T | undefined
      if (known !== undefined) return known
      const reply = ask()
      this.#memory.set(key, reply)
      return reply
    }
    const parts: AskingParts = {
      proposer: {
        ...proposer,
        propose: (request, run) =>
          once('options', textOf(request, [request.node.steps, request.context, request.repair]), () =>
            proposer.propose(request, run),
          ),
      },
      grader: {
        ...grader,
        grade(request, run) {
          const question = request.isOutcome ? 'verdicts' : 'grades'
          const text = textOf(request, [...request.nodes.map(({ steps }) => steps), request.context, request.repair])
          return once(question, text, () => grader.grade(request, run))
        },
      },
      answerer: {
        ...answerer,
        answer(request, run) {
          const paths = request.from.map(({ steps }) => steps).filter((steps) => steps !== '')
          const question = paths.length === 0 ? 'chain' : paths.length === 1 ? 'answer' : 'pooled answer'
          return once(question, textOf(request, paths), () => answerer.answer(request, run))
        },
        merge: (request, run) => once('merge', textOf(request, request.answers), () => answerer.merge!(request, run)),
      },
    }
    return {
      parts,
      takeAsked() {
        const questions = asked
        asked = new Set()
        return questions
      },
      likeness: (asked) => QUESTIONS.map((question) => (asked.has(question) ? fields.get(question) : '')).join(),
    }
  }

  #shortNameOf(calibration: Calibration, question: Question): string {
    const text = question + JSON.stringify(FIELDS[question].map((field) => calibration[field]))
    const name = this.#fields.get(text) ?? String(this.#fields.size)
    this.#fields.set(text, name)
    return name
  }
}

const textOf = ({ sample }: { sample: number }, texts: readonly (string | null)[]): string =>
  [sample, ...texts].join('\n\0')
