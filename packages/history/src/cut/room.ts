import type { ConfigEntry, HistoryQuestion } from '@x/interfaces'
import type { TokenLimit } from '../views/view.ts'

type Asked = Pick<HistoryQuestion, 'model' | 'llmConfig'>

/** Share of a window that an answer is taken to need where nothing is known of it, and the most that is set aside. */
const USUAL_ANSWER = 0.25
const LONGEST_ANSWER = 0.5

/** Returns the tokens that a request may have: what the window leaves beside an answer, or the limit; undefined if unknown. */
export function roomFor({ model, llmConfig }: Asked, { total }: TokenLimit): number | undefined {
  const config = llmConfig?.config
  const { contextWindow, maxOutput } = model.limitsOf?.({ model: config?.model }) ?? {}
  const free =
    contextWindow === undefined
      ? undefined
      : contextWindow -
        Math.min(answerLimit(config) ?? maxOutput ?? contextWindow * USUAL_ANSWER, contextWindow * LONGEST_ANSWER)
  if (total === undefined) return free
  if (total <= 1) return free === undefined ? undefined : free * total
  return free === undefined ? total : Math.min(total, free)
}

/** The most tokens of an answer that a config allows. */
function answerLimit(config: Config | undefined): number | undefined {
  const limits = [config, ...(config?.configList ?? [])].flatMap((entry) => {
    const { max_tokens: older, max_completion_tokens: newer } = (entry ?? {}) as Record<string, unknown>
    const limit = newer ?? older
    return typeof limit === 'number' && limit > 0 ? [limit] : []
  })
  return limits.length > 0 ? Math.max(...limits) : undefined
}

type Config = Readonly<ConfigEntry> & { readonly configList?: readonly ConfigEntry[] | undefined }

/** The name of the first model that is asked. */
export const modelName = ({ llmConfig }: Pick<Asked, 'llmConfig'>): string | null => {
  const { model, configList } = llmConfig?.config ?? {}
  return model ?? configList?.[0]?.model ?? null
}
