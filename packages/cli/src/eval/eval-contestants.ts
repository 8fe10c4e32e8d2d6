import type { Contestant, EvalTask, Scorer } from '@x/eval'
import type { JsonValue, LlmConfig, ReasonMethod } from '@x/interfaces'
import { createAgent } from '@x/kit'
import { methodOf, modelParts, search, seededRandom } from '@x/reasoning'

/** Tells an agent what it is, and nothing that helps. */
const INSTRUCTIONS = 'Solve the task. Answer in the form that it asks for.'

/** Makes a contestant of a model alone: an agent with the tools of the task. */
export function agentContestant(name: string, llmConfig: LlmConfig): Contestant {
  const agent = createAgent({ name: 'contestant', model: llmConfig, instructions: INSTRUCTIONS })
  return {
    name,
    settings: { ...settingsOf(llmConfig), instructions: INSTRUCTIONS },
    answer: async (task, { run }) => await agent.run(questionOf(task), { run, tools: [...task.tools] }),
  }
}

/** Makes a contestant that searches by a method. It has no tools. */
export function searchContestant(
  name: string,
  llmConfig: LlmConfig,
  { method, calls }: { readonly method: ReasonMethod; readonly calls: number | undefined },
): Contestant {
  const model = llmConfig.createModel()
  return {
    name,
    settings: { ...settingsOf(llmConfig), method, calls: calls ?? null },
    answer: async (task, { run, seed }) =>
      await search(questionOf(task), {
        ...modelParts({ model }),
        method: methodOf({ method }),
        budget: { calls },
        random: seededRandom(seed),
        run,
      }),
  }
}

const questionOf = ({ input, answerSchema }: Pick<EvalTask, 'input' | 'answerSchema'>): string =>
  answerSchema ? `${input}\n\nAnswer with JSON alone that fits this schema: ${JSON.stringify(answerSchema)}` : input

/** The settings of the model that answers depend on; keys and functions are left out. */
const settingsOf = ({ config }: LlmConfig): { readonly models: JsonValue } => ({
  models: (config.configList ?? [config]).map(({ apiType, model, baseUrl }) => ({
    apiType: apiType ?? null,
    model: model ?? null,
    baseUrl: baseUrl ?? null,
  })),
})

/** The exports of a module of tasks and contestants. */
export interface EvalModule {
  readonly tasks?: readonly EvalTask[] | undefined
  readonly contestants?: readonly Contestant[] | undefined
  readonly scorer?: Scorer | undefined
}

/** Returns the contestants of a module, whose answers are asked anew when its text changes. */
export const contestantsOf = ({ contestants = [] }: EvalModule, text: string): readonly Contestant[] =>
  contestants.map((each) => {
    // `evaluate` says what is wrong with it.
    if (typeof each !== 'object' || each === null) return each
    const settings = { module: text, own: each.settings ?? null }
    // An instance has the methods of its class, which a copy of its own fields would not.
    const isInstance = typeof each.answer === 'function' && !Object.hasOwn(each, 'answer')
    return isInstance ? { name: each.name, settings, answer: each.answer.bind(each) } : { ...each, settings }
  })
