import type { Io, LlmConfig, Logger } from '@x/interfaces'
import type { Asker } from '../ask/ask-model.ts'
import { modelAnswerer } from '../ask/model-answerer.ts'
import { modelGrader } from '../ask/model-grader.ts'
import { modelProposer } from '../ask/model-proposer.ts'
import { graderMessage, thinkerMessage } from '../ask/prompts.ts'
import type { Random } from '../random.ts'
import type { SearchParts } from '../search-options.ts'
import type { Grader } from '../seams.ts'
import type { ThinkNode } from '../think-node.ts'
import { InternalAgent } from './internal-agent.ts'
import type { ReasonSettings } from './settings.ts'
import { withExecution, type RunsCode } from './with-execution.ts'

/** What makes a reasoner. */
export interface ReasonerOptions {
  settings: ReasonSettings
  /** Who writes the answers; read anew for every search. */
  answerer: () => Asker
  llmConfig: LlmConfig
  thinkerLlmConfig?: LlmConfig | undefined
  graderLlmConfig?: LlmConfig | undefined
  /** Runs the code of options; without it the thinker is not told of code. */
  runsCode?: RunsCode | undefined
  random?: Random | undefined
  io?: Io | undefined
  logger?: Logger | undefined
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
    const { settings, llmConfig, io, logger } = options
    this.settings = settings
    this.#answerer = options.answerer
    this.#runsCode = options.runsCode
    this.#random = options.random
    this.thinker = new InternalAgent({
      name: 'tot_thinker',
      description: 'Proposes options for the next step.',
      systemMessage: thinkerMessage({ code: options.runsCode !== undefined }),
      model: (options.thinkerLlmConfig ?? llmConfig).createModel({ io, logger }),
    })
    this.grader = new InternalAgent({
      name: 'tot_grader',
      description: 'Rates steps and answers.',
      systemMessage: graderMessage({ scale: settings.ratingScale, outcome: false, several: false, groundTruth: null }),
      model: (options.graderLlmConfig ?? llmConfig).createModel({ io, logger }),
    })
  }

  /** The parts of one search; nothing of it is shared with another one. */
  partsFor(groundTruth: string | null): SearchParts {
    const { name, systemMessage, model } = this.thinker
    const proposer = modelProposer({ model, name, systemMessage })
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
    const { model, name } = this.grader
    return modelGrader({ model, name, ratingScale: this.settings.ratingScale, groundTruth })
  }
}
