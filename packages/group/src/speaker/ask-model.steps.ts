import type { ConversableAgent } from '@x/agent'
import { askAs, internalsOf } from '@x/agent/steps'
import type {
  ChatMessage,
  ConfigEntry,
  EventBody,
  JsonSchema,
  LlmConfig,
  Model,
  ModelClientClass,
  Reply,
} from '@x/interfaces'
import { XError, wait, type Steps } from '@x/kernel'
import type { GroupState, SelectorModel } from '../group/group-state.ts'
import { fillPrompt } from '../group/templates.ts'

/** Names of the two inner agents in requests and events. */
const CHECKING_AGENT_NAME = 'checking_agent'
const SELECTING_AGENT_NAME = 'speaker_selection_agent'

const ATTEMPT_SUCCESSFUL_EVENT = 'speakerAttemptSuccessful'
const MULTIPLE_AGENTS_EVENT = 'speakerAttemptFailedMultipleAgents'
const NO_AGENTS_EVENT = 'speakerAttemptFailedNoAgents'

/** Asks a model for the next speaker until it names exactly one, within the retries; null when it never did. */
export function* askModelForSpeaker(
  state: GroupState,
  selector: ConversableAgent,
  { model, eligible }: { readonly model: Model; readonly eligible: readonly ConversableAgent[] },
): Steps<ConversableAgent | null> {
  const { settings, messages } = state
  const fill = (template: string): string => fillPrompt(template, eligible)
  const system: ChatMessage = { role: 'system', content: fill(settings.selectSpeakerMessageTemplate) }
  const conversation = withoutLastCalls(messages)
  const names = eligible.map(({ name }) => name)
  const others = state.group.agentNames.filter((name) => !names.includes(name))
  const { selectSpeakerPromptTemplate: prompt, maxRetriesForSelectingSpeaker: retries } = settings
  const question = (content: string): ChatMessage => ({
    content,
    name: CHECKING_AGENT_NAME,
    role: settings.roleForSelectSpeakerMessages,
  })
  // A model with structured output can answer with one of these names only.
  const answerSchema = choiceSchema(names)
  let next = prompt === null ? asQuestion(conversation.at(-1)) : question(fill(prompt))
  for (let attempt = 1; attempt <= retries + 1; attempt++) {
    if (next) {
      conversation.push(next)
      if (settings.selectSpeakerAutoVerbose) yield received(conversation, SELECTING_AGENT_NAME)
    }
    // A spread behind another element takes each message from an iterator.
    const request = [system].concat(yield* transformMessages(state, conversation))
    const reply = yield* askAs(selector, { name: SELECTING_AGENT_NAME, model, messages: request, answerSchema })
    const answer: ChatMessage = { content: textOf(reply), role: 'assistant', name: SELECTING_AGENT_NAME }
    conversation.push(answer)
    const mentions = readMentions(answer.content as string, names, others)
    const [first, second] = Object.keys(mentions)
    if (settings.selectSpeakerAutoVerbose) {
      yield received(conversation, CHECKING_AGENT_NAME)
      const type = second ? MULTIPLE_AGENTS_EVENT : first ? ATTEMPT_SUCCESSFUL_EVENT : NO_AGENTS_EVENT
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

/** Counts the names in an answer: the one of the structured answer, or all that its text mentions. */
function readMentions(
  text: string,
  names: readonly string[],
  others: readonly string[],
): Readonly<Record<string, number>> {
  const { speaker } = parseStructuredAnswer(text.trim())
  return typeof speaker === 'string' && names.includes(speaker) ? { [speaker]: 1 } : countMentions(text, names, others)
}

function parseStructuredAnswer(text: string): { readonly speaker?: unknown } {
  if (!text.startsWith('{')) return {}
  try {
    return JSON.parse(text) as { speaker?: unknown }
  } catch {
    return {}
  }
}

/** Returns the last message as one of the user, also that of a call: providers refuse a request without a question. */
const asQuestion = (message: ChatMessage | undefined): ChatMessage | undefined =>
  message?.role === 'assistant' ? { ...message, role: 'user' } : message

/** Returns the event of the last message of the conversation with the inner agents. */
function received(conversation: readonly ChatMessage[], recipient: string): EventBody {
  const index = conversation.length - 1
  const sender = recipient === SELECTING_AGENT_NAME ? CHECKING_AGENT_NAME : SELECTING_AGENT_NAME
  return { type: 'receivedMessage', agent: sender, sender, recipient, message: conversation[index]!, index }
}

/** Copies the messages, the last one without its calls: providers refuse calls without answers. */
function withoutLastCalls(messages: readonly ChatMessage[]): ChatMessage[] {
  const last = messages.at(-1)
  if (!last?.tool_calls && !last?.function_call) return [...messages]
  const { tool_calls: _, function_call: __, ...rest } = last
  return [...messages.slice(0, -1), { ...rest, content: rest.content ?? '' }]
}

function* transformMessages({ settings }: GroupState, messages: readonly ChatMessage[]): Steps<readonly ChatMessage[]> {
  const { selectSpeakerTransformMessages: transform } = settings
  if (!transform) return messages
  return yield* wait(transform([...messages]), 'the function `selectSpeakerTransformMessages`')
}

function textOf(reply: Reply | null): string {
  const content = typeof reply === 'string' ? reply : reply?.content
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part) => (part.type === 'text' ? part.text : '')).join('') : ''
}

/**
 * Counts how often a text names each of some agents: by name, or by name with spaces or `\_` in place of `_`. Case counts,
 * and a part of a word does not. The longest name at a place counts alone: its parts between spaces, `-` and `_` do not.
 * Names of `others` are never counted, but they can be the longest at a place.
 */
export function countMentions(
  text: string,
  names: readonly string[],
  others: readonly string[] = [],
): Readonly<Record<string, number>> {
  const { nameOf, spellings, pattern } = spelledNames(names, others)
  if (spellings.length === 0) return {}
  const mentions: Record<string, number> = {}
  for (const [longest] of text.matchAll(pattern)) {
    const inside = spellings.filter((each) => each !== longest && longest.includes(each) && standsApart(each, longest))
    for (const spelling of [longest, ...inside]) {
      const name = nameOf.get(spelling)!
      if (names.includes(name)) mentions[name] = (mentions[name] ?? 0) + 1
    }
  }
  return mentions
}

/** The ways to write some names, the longest first, with the name that each means, and a pattern that finds them. */
interface SpelledNames {
  readonly of: readonly string[]
  readonly nameOf: ReadonlyMap<string, string>
  readonly spellings: readonly string[]
  readonly pattern: RegExp
}

/** The latest: a group asks with the same names again and again, and a pattern of letters of all scripts takes time to make. */
let latest: SpelledNames | null = null

function spelledNames(names: readonly string[], others: readonly string[]): SpelledNames {
  const all = [...names, ...others]
  if (latest?.of.length === all.length && latest.of.every((name, index) => name === all[index])) return latest
  const nameOf = new Map<string, string>()
  for (const name of all) for (const spelling of spellingsOf(name)) nameOf.set(spelling, name)
  const spellings = [...nameOf.keys()].toSorted((one, other) => other.length - one.length)
  const pattern = new RegExp(
    `(?<!${WORD_CHARACTER_PATTERN})(?:${spellings.map(escapeRegExp).join('|')})(?!${WORD_CHARACTER_PATTERN})`,
    'gu',
  )
  return (latest = { of: all, nameOf, spellings, pattern })
}

/** True if a name stands inside a longer one between characters that cannot be part of a name. */
const standsApart = (name: string, longer: string): boolean =>
  new RegExp(`(?<!${NAME_CHARACTER_PATTERN})${escapeRegExp(name)}(?!${NAME_CHARACTER_PATTERN})`, 'u').test(longer)

/** A letter, a digit, or a character that joins the parts of a name. */
const NAME_CHARACTER_PATTERN = String.raw`[\p{L}\p{N}_\\\s-]`

/** A letter, a digit or an underscore of any script. */
const WORD_CHARACTER_PATTERN = String.raw`[\p{L}\p{N}_]`

const spellingsOf = (name: string): string[] => [name, name.replaceAll('_', ' '), name.replaceAll('_', String.raw`\_`)]

const escapeRegExp = (text: string): string => text.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`)

/** Returns the model that chooses speakers for an agent; created once for each config, so that usage adds up. */
export function getSelectorModel(state: GroupState, selector: ConversableAgent): Model {
  const { selectSpeakerAutoLlmConfig: own } = state.settings
  const config = own || selector.llmConfig
  if (!config) {
    throw new XError(
      'invalid-state',
      `cannot choose a speaker by a model: neither \`${selector.name}\` nor the group has one; give an \`llmConfig\` or \`selectSpeakerAutoLlmConfig\`, or another \`speakerSelectionMethod\``,
    )
  }
  if (state.selector?.config !== config) state.selector = createSelectorModel(state, selector, config)
  return state.selector.model
}

function createSelectorModel(state: GroupState, selector: ConversableAgent, config: LlmConfig): SelectorModel {
  const { io, logger, model: replaces } = internalsOf(selector)
  const { selectSpeakerAutoLlmConfig: own } = state.settings
  const uncached = setsCache(config) ? config : config.with({ cacheSeed: null })
  const model = uncached.createModel({ io, ...(logger && { logger }), ...(replaces && { replaces }) })
  if (own) registerClients(state, own, model)
  return { config, model, ownUsage: !replaces }
}

/** True if a config sets a cache itself; the default cache does not apply to choices of speakers. */
const setsCache = ({ config }: LlmConfig): boolean =>
  [config, ...(config.configList ?? [])].some((entry: ConfigEntry) => Boolean(entry.cache) || entry.cacheSeed != null)

/** Registers the client classes that entries of a config name. */
function registerClients({ settings }: GroupState, { config }: LlmConfig, model: Model): void {
  const classes = [settings.selectSpeakerAutoModelClientCls ?? []].flat()
  const names = new Set(
    [config, ...(config.configList ?? [])].flatMap(({ modelClientCls: name }) => (name === undefined ? [] : [name])),
  )
  for (const name of names) {
    const [clientClass, ...more] = new Set(classes.filter((each: ModelClientClass) => each.name === name))
    if (!clientClass || more.length > 0) {
      throw new XError(
        'invalid-argument',
        `cannot choose a speaker by a model: an entry of \`selectSpeakerAutoLlmConfig\` needs the client class \`${name}\`, and \`selectSpeakerAutoModelClientCls\` has ${more.length + (clientClass ? 1 : 0)} of that name; give exactly one`,
      )
    }
    model.registerModelClient(clientClass)
  }
}
