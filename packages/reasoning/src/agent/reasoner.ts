import type { Model } from '@x/interfaces'
import type { Asker } from '../ask/ask-model.ts'
import { modelAnswerer } from '../ask/model-answerer.ts'
import { modelGrader } from '../ask/model-grader.ts'
import { modelProposer } from '../ask/model-proposer.ts'
import { graderMessage, thinkerMessage } from '../ask/prompts.ts'
import { triesIn } from '../methods/tries.ts'
import type { Random } from '../strategy/random.ts'
import type { SearchParts } from '../search/search-options.ts'
import type { Grader } from '../search/parts.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { InternalAgent } from './internal-agent.ts'
import type { ReasonSettings } from './settings.ts'
import { withExecution, type RunsCode } from './with-execution.ts'

/** What makes a reasoner. */
export interface ReasonerOptions {
  settings: ReasonSettings
  /** Who writes the answers; read anew for every search. */
  answerer: () => Asker
  /** Make the models of the internal agents when they are first asked. */
  models: { readonly thinker: () => Model; readonly grader: () => Model }
  /** Runs the code of options; without it the thinker is not told of code. */
  runsCode?: RunsCode | undefined
  random?: Random | undefined
}

/** The searching half of a reasoning agent: its settings, its internal agents and its last tree. */
export class Reasoner {
  readonly settings: ReasonSettings
  readonly thinker: InternalAgent
  readonly grader: InternalAgent
  /** The root of the last tree that was searched; null before the first. */
  root: ThinkNode | null = null
  readonly #answerer: () => Asker
  readonly #runsCode: RunsCode | undefined
  readonly #random: Random | undefined

  constructor(options: ReasonerOptions) {
    const { settings } = options
    this.settings = settings
    this.#answerer = options.answerer
    this.#runsCode = options.runsCode
    this.#random = options.random
    this.thinker = new InternalAgent({
      name: 'tot_thinker',
      description: 'Proposes options for the next step.',
      systemMessage: thinkerMessage({ code: options.runsCode !== undefined }),
      model: options.models.thinker,
    })
    this.grader = new InternalAgent({
      name: 'tot_grader',
      description: 'Rates steps and answers.',
      systemMessage: graderMessage({ scale: settings.ratingScale, outcome: false, several: false, groundTruth: null }),
      model: options.models.grader,
    })
  }

  /** What the tries of the last search teach, for the method whose thinker and grader are shown them; null for others. */
  get lessons(): string | null {
    return this.settings.method === 'lats' && this.root ? triesIn(this.root) : null
  }

  /** The parts of one search; nothing of it is shared with another one. */
  partsFor(groundTruth: string | null): SearchParts {
    const { thinker } = this
    const { name, systemMessage, model } = thinker
    const proposer = modelProposer({ model, name, systemMessage, note: (response) => thinker.note(response) })
    const { verifier, budget, concurrency } = this.settings
    return {
      proposer: this.#runsCode ? withExecution(proposer, this.#runsCode) : proposer,
      grader: this.graderFor(groundTruth),
      answerer: modelAnswerer(this.#answerer()),
      verifier,
      budget,
      concurrency,
      random: this.#random,
    }
  }

  /** The grader, told what is known to be true. */
  graderFor(groundTruth: string | null): Grader {
    const { grader, settings } = this
    const { model, name } = grader
    const note: InternalAgent['note'] = (response) => grader.note(response)
    return modelGrader({ model, name, note, ratingScale: settings.ratingScale, groundTruth })
  }
}
