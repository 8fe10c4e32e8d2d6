import type { Agent, ChatMessage, Reply } from '@x/interfaces'
import { XError } from '@x/kernel'
import { storedMessage } from '../data/message.ts'
import type { EarlierMessages } from '../memory/state.ts'
import type { ForeignWords } from '../options/kinds.ts'
import type { RunChatOptions } from '../options/operations.ts'

const RESULT_WORD = 'give the schema as `result`, as in `run(question, { result: schema })`'
const SIGNAL_WORD = 'write `signal`'
const TURNS_WORD = 'write `maxTurns`, which is a cap: a run ends at its answer'
const QUESTION_WORD = 'give it as the first argument, as in `run(question)`'
const HISTORY_WORD = "hand the messages of the result before in, as in `run([...messages, { role: 'user', content }])`"
const AGENT_WORD = 'give it to the agent, as in `createAgent({ name, model, instructions })`'
const MODEL_WORD = "give it to the model, as in `openai('gpt-5-mini', { temperature: 0 })`"
const EVENTS_WORD = 'give `emit`, which gets every event, or read `runStream`'

/** Words of other frameworks for the options of a run. */
export const FOREIGN_RUN_WORDS: ForeignWords = {
  ...wordsFor(RESULT_WORD, 'output', 'outputType', 'output_type', 'schema', 'responseFormat', 'response_format'),
  ...wordsFor(RESULT_WORD, 'structuredOutput', 'outputSchema'),
  ...wordsFor(SIGNAL_WORD, 'abortSignal', 'abort_signal', 'abort'),
  ...wordsFor(TURNS_WORD, 'maxSteps', 'stopWhen', 'maxIterations', 'recursionLimit', 'max_iterations'),
  ...wordsFor(QUESTION_WORD, 'prompt', 'input', 'message', 'messages'),
  ...wordsFor(HISTORY_WORD, 'history', 'session', 'sessionId', 'thread', 'threadId', 'memory', 'resourceId'),
  ...wordsFor(AGENT_WORD, 'model', 'instructions', 'system', 'systemMessage', 'systemPrompt'),
  ...wordsFor(MODEL_WORD, 'temperature', 'maxTokens', 'max_tokens', 'topP', 'top_p', 'toolChoice', 'tool_choice'),
  ...wordsFor(EVENTS_WORD, 'onStepFinish', 'onFinish', 'onChunk', 'onEvent', 'callbacks'),
  stream: 'call `runStream`',
  timeout: 'write `signal: AbortSignal.timeout(milliseconds)`',
}

function wordsFor(remedy: string, ...words: readonly string[]): ForeignWords {
  return Object.fromEntries(words.map((word) => [word, remedy]))
}

/** Separates the question of a run from the messages before it. */
export function questionIn(
  agent: Agent,
  given: Reply | readonly ChatMessage[],
  { conversation }: Pick<RunChatOptions, 'conversation'>,
): { readonly question: Reply; readonly earlier: EarlierMessages | null } {
  const refuse = (problem: string): never => {
    throw new XError('invalid-message', `cannot run \`run\` of \`${agent.name}\`: ${problem}`)
  }
  if (!Array.isArray(given)) {
    const isMessage = typeof given === 'string' || (typeof given === 'object' && given !== null)
    if (!isMessage) refuse('it has no message; give a text, a message or a list of messages')
    if (typeof given === 'object' && !isSaid(given as ChatMessage)) {
      const word = ['messages', 'prompt', 'input', 'message'].find((each) => each in given)
      refuse(word ? `it is an object with \`${word}\`; give the value of that alone` : 'its message has no `content`')
    }
    return { question: given as Reply, earlier: null }
  }
  const messages = given as readonly ChatMessage[]
  for (const [index, message] of messages.entries()) {
    const role: unknown = (message as Partial<ChatMessage> | null)?.role
    if (!ROLES.has(role)) refuse(`message ${index} has no \`role\` of ${[...ROLES].join(', ')}; give it one`)
    if (isSaid(message)) continue
    refuse(`message ${index} has neither \`content\` nor \`tool_calls\`; give it one of them`)
  }
  const question = messages.at(-1)
  if (!question) return refuse('its list of messages is empty; give the question as the last one')
  if (question.role === 'assistant' || question.role === 'system') {
    refuse(`its last message is of the ${question.role}; give the question, of the \`user\`, as the last one`)
  }
  if (messages.length === 1) return { question, earlier: null }
  if (conversation === 'shared') {
    refuse('a shared conversation has its messages already; give the question alone, or leave `conversation` out')
  }
  const before = messages.slice(0, -1)
  return {
    question,
    earlier: {
      ofSelf: before.map((message) => ofSide(message, agent, 'user')),
      ofPeer: before.map((message) => ofSide(message, agent, 'agent')),
    },
  }
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool', 'function', 'system'])

/** True for a message that says something or asks for a call. */
const isSaid = ({ content, tool_calls: calls, function_call: call }: ChatMessage): boolean =>
  (content !== undefined && content !== null) || Boolean(calls) || Boolean(call)

/** Returns an earlier message as one side of a run keeps it: its own messages are of the `assistant`, the others of the `user`. */
function ofSide(message: ChatMessage, agent: Agent, side: 'user' | 'agent'): ChatMessage {
  const { role = 'user', name } = message
  const isOfAgent = role === 'assistant'
  const sender = isOfAgent ? agent.name : USER_NAME
  const own = isOfAgent === (side === 'agent') ? 'assistant' : 'user'
  const kept = role === 'system' ? 'system' : own
  if (role === 'tool' && name === undefined) return withoutName(storedMessage(message, kept, sender))
  const isKept = role === kept && name !== undefined && Object.isFrozen(message) && typeof message.content === 'string'
  return isKept && !message.tool_calls ? message : storedMessage(message, kept, sender)
}

/** The result of a call has no name, as it has none in the messages of a run. */
function withoutName(message: ChatMessage): ChatMessage {
  const { name: _, ...rest } = message
  return Object.freeze(rest)
}

/** Name of the agent that stands for the user. */
export const USER_NAME = 'user'
