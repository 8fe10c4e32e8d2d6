import type { ConversableAgent } from '@x/agent'
import { askAs, internalsOf } from '@x/agent/steps'
import type { ChatMessage, ConfigEntry, JsonSchema, LlmConfig, Model, ModelClientClass, Reply } from '@x/interfaces'
import { XError, wait, type Steps } from '@x/kernel'
import type { GroupState, SelectorModel } from '../group/group-state.ts'
import { fillPrompt } from '../group/templates.ts'

/** Names of the two inner agents, as the model and the log see them. */
const CHECKING = 'checking_agent'
const SELECTING = 'speaker_selection_agent'

/** Asks a model for the next speaker, and again while it names nobody or several; null when it never named one. */
export function* askModelForSpeaker(
  state: GroupState,
  selector: ConversableAgent,
  { model, eligible }: { readonly model: Model; readonly eligible: readonly ConversableAgent[] },
): Steps<ConversableAgent | null> {
  const { settings, messages } = state
  const fill = (template: string): string => fillPrompt(template, eligible)
  const system: ChatMessage = { role: 'system', content: fill(settings.selectSpeakerMessageTemplate) }
  const asked = withoutLastCalls(messages)
  const names = eligible.map(({ name }) => name)
  const others = state.group.agentNames.filter((name) => !names.includes(name))
  const { selectSpeakerPromptTemplate: prompt, maxRetriesForSelectingSpeaker: retries } = settings
  const question = (content: string): ChatMessage => ({
    content,
    name: CHECKING,
    role: settings.roleForSelectSpeakerMessages,
  })
  // Models that can be told a shape can answer with nothing else than one of these names.
  const answerSchema = choiceSchema(names)
  let next = prompt === null ? asked.at(-1) : question(fill(prompt))
  for (let attempt = 1; attempt <= retries + 1; attempt++) {
    if (next) {
      asked.push(next)
      if (settings.selectSpeakerAutoVerbose) yield received(CHECKING, SELECTING, next)
    }
    const seen = [system, ...(yield* shown(state, asked))]
    const reply = yield* askAs(selector, { name: SELECTING, model, messages: seen, answerSchema })
    const answer: ChatMessage = { content: textOf(reply), role: 'assistant', name: SELECTING }
    asked.push(answer)
    const mentions = namedIn(answer.content as string, names, others)
    const [first, second] = Object.keys(mentions)
    if (settings.selectSpeakerAutoVerbose) {
      yield received(SELECTING, CHECKING, answer)
      const type = second ? SEVERAL : first ? ONE : NONE
      yield { type, agent: null, mentions, attempt, attemptsLeft: retries + 1 - attempt }
    }
    if (first && !second) return eligible.find(({ name }) => name === first)!
    next = question(fill(second ? settings.selectSpeakerAutoMultipleTemplate : settings.selectSpeakerAutoNoneTemplate))
  }
  return null
}

const choiceSchema = (names: readonly string[]): JsonSchema => ({
  type: 'object',
  properties: { speaker: { type: 'string', enum: names } },
  required: ['speaker'],
  additionalProperties: false,
})

/** The names in an answer: the one of the shape that was asked for, or those that its text mentions. */
function namedIn(text: string, names: readonly string[], others: readonly string[]): Readonly<Record<string, number>> {
  const { speaker } = shapedAnswer(text)
  return typeof speaker === 'string' && names.includes(speaker) ? { [speaker]: 1 } : mentionsIn(text, names, others)
}

function shapedAnswer(text: string): { readonly speaker?: unknown } {
  if (!text.startsWith('{')) return {}
  try {
    return JSON.parse(text) as { speaker?: unknown }
  } catch {
    return {}
  }
}

const ONE = 'speakerAttemptSuccessful'
const SEVERAL = 'speakerAttemptFailedMultipleAgents'
const NONE = 'speakerAttemptFailedNoAgents'

const received = (sender: string, recipient: string, message: ChatMessage) =>
  ({ type: 'receivedMessage', agent: sender, sender, recipient, message }) as const

/** A copy of the messages, the last one without its calls: providers refuse calls that have no answer. */
function withoutLastCalls(messages: readonly ChatMessage[]): ChatMessage[] {
  const last = messages.at(-1)
  if (!last?.tool_calls && !last?.function_call) return [...messages]
  const { tool_calls: _, function_call: __, ...rest } = last
  return [...messages.slice(0, -1), { ...rest, content: rest.content ?? '' }]
}

function* shown({ settings }: GroupState, messages: readonly ChatMessage[]): Steps<readonly ChatMessage[]> {
  const { selectSpeakerTransformMessages: transform } = settings
  if (!transform) return messages
  return yield* wait(transform([...messages]), 'the function `selectSpeakerTransformMessages`')
}

function textOf(reply: Reply | null): string {
  const content = typeof reply === 'string' ? reply : reply?.content
  if (typeof content === 'string') return content.trim()
  return Array.isArray(content)
    ? content
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join('')
        .trim()
    : ''
}

/**
 * Counts how often a text names each of some agents: by name, or by its name with spaces or `\_` in place of `_`. Case
 * counts, and a part of a word is no name. Where a longer name stands, its parts between spaces, `-` and `_` are no names.
 * Those of `others` are not counted, but they may be the longer ones.
 */
export function mentionsIn(
  text: string,
  names: readonly string[],
  others: readonly string[] = [],
): Readonly<Record<string, number>> {
  const nameOf = new Map<string, string>()
  for (const name of [...names, ...others]) for (const spelling of spellingsOf(name)) nameOf.set(spelling, name)
  const spellings = [...nameOf.keys()].toSorted((one, other) => other.length - one.length)
  if (spellings.length === 0) return {}
  const found = new RegExp(`(?<!${WORD})(?:${spellings.map(escaped).join('|')})(?!${WORD})`, 'gu')
  const mentions: Record<string, number> = {}
  for (const [longest] of text.matchAll(found)) {
    const inside = spellings.filter((each) => each !== longest && standsApart(each, longest))
    for (const spelling of [longest, ...inside]) {
      const name = nameOf.get(spelling)!
      if (names.includes(name)) mentions[name] = (mentions[name] ?? 0) + 1
    }
  }
  return mentions
}

/** Whether a name stands in a longer one between other signs than those that join the parts of a name. */
const standsApart = (name: string, longer: string): boolean =>
  new RegExp(`(?<!${JOINT})${escaped(name)}(?!${JOINT})`, 'u').test(longer)

/** A letter, a digit, or a sign that joins the parts of a name. */
const JOINT = String.raw`[\p{L}\p{N}_\\\s-]`

/** A letter, a digit or an underscore of any script. */
const WORD = String.raw`[\p{L}\p{N}_]`

const spellingsOf = (name: string): string[] => [name, name.replaceAll('_', ' '), name.replaceAll('_', String.raw`\_`)]

const escaped = (text: string): string => text.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`)

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
