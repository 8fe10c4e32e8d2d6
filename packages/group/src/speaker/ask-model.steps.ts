import type { ConversableAgent } from '@x/agent'
import { askAs } from '@x/agent/steps'
import type { ChatMessage, JsonSchema, Model, Reply } from '@x/interfaces'
import { wait, type Steps } from '@x/kernel'
import type { GroupState } from '../group/group-state.ts'
import { fillPrompt } from '../group/templates.ts'
import { mentionsIn } from './mentions.ts'

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
