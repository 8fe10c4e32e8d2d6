import type {
  AnswerUsage,
  Budget,
  ModelAnswer,
  ModelClient,
  ModelLimits,
  ModelParams,
  ModelResponse,
} from '@x/interfaces'
import { ModelWrapper, type ModelWrapperOptions } from '../wrapper/model-wrapper.ts'
import { answerOf, failureOf, hello, recordingIo } from './provider.fake.ts'

/** A model whose answers come when a test says so. */
export interface GatedModel {
  readonly model: ModelWrapper
  /** Answers the calls, in the order they came, each with so many output tokens; a negative number fails it. */
  readonly open: ((outputTokens: number) => void)[]
  /** What was sent. */
  readonly calls: ModelParams[]
  /** Topics of the warnings so far. */
  readonly warnings: () => string[]
  /** Asks it; a rejection need not be handled. */
  readonly ask: (more?: object) => Promise<ModelResponse>
}

/** Makes a model that counts ten tokens for each prompt, and costs a dollar for a thousand tokens. */
export function gated(
  budget: Budget | null,
  options: ModelWrapperOptions = {},
  {
    limits,
    price = 1,
    priceOf = ({ total_tokens: tokens }) => (price === null ? null : (tokens * price) / 1000),
  }: {
    readonly limits?: ModelLimits
    readonly price?: number | null
    /** Returns the cost of a usage; default: by `price`. */
    readonly priceOf?: (usage: AnswerUsage) => number | null
  } = {},
): GatedModel {
  const open: ((outputTokens: number) => void)[] = []
  const calls: ModelParams[] = []
  const { io, warnings } = recordingIo()
  const client: ModelClient = {
    async create(params) {
      calls.push(params)
      const output = await new Promise<number>((resolve) => open.push(resolve))
      if (output < 0) throw failureOf('server')
      const usage = { prompt_tokens: 10, completion_tokens: output, total_tokens: 10 + output }
      return { ...answerOf(params.model ?? '', 'x'), usage }
    },
    messageRetrieval: ({ choices }) => choices.map(({ message }) => message),
    getUsage: ({ model, usage }: ModelAnswer) => ({
      model,
      promptTokens: usage?.prompt_tokens ?? 0,
      completionTokens: usage?.completion_tokens ?? 0,
      totalTokens: usage?.total_tokens ?? 0,
      cost: 0,
    }),
    cost: ({ usage }) => (usage ? priceOf(usage) : null),
    ...(limits && { limitsOf: () => limits }),
  }
  const model = new ModelWrapper({
    providers: [{ apiTypes: ['fake'], specVersion: 1, createClient: () => client }],
    configList: [{ model: 'm', apiType: 'fake' }],
    cacheSeed: null,
    io,
    budget,
    ...options,
  })
  const ask = (more: object = {}): Promise<ModelResponse> => {
    const asked = model.create({ messages: hello, ...more })
    asked.catch(() => {})
    return asked
  }
  return { model, open, calls, warnings, ask }
}
