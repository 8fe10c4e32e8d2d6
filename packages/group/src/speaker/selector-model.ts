import type { ConversableAgent } from '@x/agent'
import { internalsOf } from '@x/agent/steps'
import type { ConfigEntry, LlmConfig, Model, ModelClientClass } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { GroupState, SelectorModel } from '../group/group-state.ts'

/** The model that chooses speakers for an agent: made once for each config, so that all choices count together. */
export function selectorModel(state: GroupState, selector: ConversableAgent): Model {
  const { selectSpeakerAutoLlmConfig: own } = state.settings
  const given = own || selector.llmConfig
  if (!given) {
    throw new XError(
      'invalid-state',
      `no speaker can be chosen by a model: neither \`${selector.name}\` nor the group has one; give an \`llmConfig\` or \`selectSpeakerAutoLlmConfig\`, or another \`speakerSelectionMethod\``,
    )
  }
  if (state.selector?.config !== given) state.selector = createModel(state, selector, given)
  return state.selector.model
}

function createModel(state: GroupState, selector: ConversableAgent, given: LlmConfig): SelectorModel {
  const { io, logger, model: replaces } = internalsOf(selector)
  const { selectSpeakerAutoLlmConfig: own } = state.settings
  const config = namesCache(given) ? given : given.with({ cacheSeed: null })
  const model = config.createModel({ io, ...(logger && { logger }), ...(replaces && { replaces }) })
  if (own) registerClients(state, own, model)
  return { config: given, model, ownUsage: !replaces }
}

/** Whether a config says itself that answers are cached; the default does not hold for choices. */
const namesCache = ({ config }: LlmConfig): boolean =>
  [config, ...(config.configList ?? [])].some((entry: ConfigEntry) => Boolean(entry.cache) || entry.cacheSeed != null)

/** Gives the entries that name a client class theirs. */
function registerClients({ settings }: GroupState, { config }: LlmConfig, model: Model): void {
  const given = settings.selectSpeakerAutoModelClientCls
  const wanted = new Set(
    [config, ...(config.configList ?? [])].flatMap(({ modelClientCls: name }) => (name === undefined ? [] : [name])),
  )
  for (const name of wanted) {
    const list = given === null ? [] : [given].flat()
    const [found, ...more] = new Set(list.filter((each: ModelClientClass) => each.name === name))
    if (!found || more.length > 0) {
      throw new XError(
        'invalid-argument',
        `no speaker can be chosen by a model: an entry of \`selectSpeakerAutoLlmConfig\` waits for the client class \`${name}\`, and \`selectSpeakerAutoModelClientCls\` has ${more.length + (found ? 1 : 0)} of that name; give it one`,
      )
    }
    model.registerModelClient(found)
  }
}
