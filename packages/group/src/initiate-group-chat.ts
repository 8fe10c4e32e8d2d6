import { internalsOf, operate, operateStream, operateSync } from '@x/agent/steps'
import type { EventStream, RunOptions } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds, runOptionKinds } from '@x/kernel/options'
import { consoleIo } from '@x/agent'
import { GroupChat } from './group-chat.ts'
import type { GroupPattern } from './pattern/pattern.ts'
import { readMember } from './pattern/prepare-run.ts'
import {
  runPattern,
  type FirstMessages,
  type GroupChatResult,
  type GroupRunOptions,
} from './pattern/run-pattern.steps.ts'

/** Options of a group chat by a pattern. */
type GroupChatRunOptions = GroupRunOptions & RunOptions

const INITIATE_GROUP_CHAT_KINDS: OptionKinds<GroupChatRunOptions> = {
  maxRounds: kind.limit(1),
  silent: kind.orNull(kind.flag),
  cache: kind.orNull(kind.object),
  budget: kind.object,
  journal: kind.object,
  runId: kind.text,
  version: kind.text,
  steering: kind.having('what steers a run, such as `new Steering()`', 'take'),
  summaryArgs: kind.object,
  safeguardPolicy: kind.object,
  safeguardLlmConfig: kind.object,
  ...runOptionKinds,
}

const OF_PATTERN = 'it belongs to the pattern, as in `roundRobinPattern({ initialAgent, agents, … })`'

/** Words of other libraries, and of patterns and chats, for the options of a group chat. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  'maxTurns maxSteps maxIterations maxMessages recursionLimit': 'write `maxRounds`',
  'abortSignal abort': 'write `signal`',
  'messages message prompt input': 'give them second, as in `initiateGroupChat(pattern, messages)`',
  'initialAgent agents userAgent contextVariables groupManagerArgs until': OF_PATTERN,
  'summaryMethod groupAfterWork excludeTransitMessage': OF_PATTERN,
  'llmConfig model llm': 'write `groupManagerArgs: { llmConfig }` at the pattern',
  stream: 'call `initiateGroupChatStream`',
}

/** The arguments of a call, as they were given. */
interface GivenCall {
  readonly pattern: unknown
  readonly messages: unknown
  readonly options: unknown
}

/** Refuses a value that is no pattern, messages in an object, and unknown or wrong options. */
function checkCall({ pattern, messages, options }: GivenCall, operation: string): void {
  const attempt = `run \`${operation}\``
  const refuse = (problem: string): never => {
    throw new XError('invalid-argument', `cannot ${attempt}: ${problem}`)
  }
  if (Array.isArray(pattern))
    refuse('its pattern is a list; make one, as in `roundRobinPattern({ initialAgent, agents })`')
  if (pattern instanceof GroupChat) {
    refuse('its pattern is a `GroupChat`; give that to a manager, as in `user.initiateChat(manager, { message })`')
  }
  if (typeof pattern !== 'object' || pattern === null) {
    refuse('it has no pattern; make one, as in `roundRobinPattern({ initialAgent, agents })`')
  }
  if ('pattern' in (pattern as object)) {
    refuse(`give the pattern alone first, as in \`${operation}(pattern, messages, { maxRounds: 20 })\``)
  }
  const word = ['message', 'messages', 'prompt', 'input'].find((each) => each in Object(messages))
  if (word !== undefined) refuse(`its messages are an object with \`${word}\`; give the value of that alone`)
  checkOptions(options, INITIATE_GROUP_CHAT_KINDS, attempt, FOREIGN_WORDS)
}

/** Runs a group chat by a pattern: its rules and the handoffs of the members decide who speaks. */
export async function initiateGroupChat<C extends object>(
  pattern: GroupPattern<C>,
  messages: FirstMessages,
  options: GroupChatRunOptions = {},
): Promise<GroupChatResult<C>> {
  checkCall({ pattern, messages, options }, 'initiateGroupChat')
  return await operate(runPattern(pattern, messages, options), defaultsOf(pattern), options)
}

/** Runs a group chat by a pattern as {@link initiateGroupChat} does, blocking. */
export function initiateGroupChatSync<C extends object>(
  pattern: GroupPattern<C>,
  messages: FirstMessages,
  options: Omit<GroupChatRunOptions, 'signal'> = {},
): GroupChatResult<C> {
  checkCall({ pattern, messages, options }, 'initiateGroupChatSync')
  return operateSync(runPattern(pattern, messages, options), defaultsOf(pattern), options)
}

/** Runs a group chat by a pattern as {@link initiateGroupChat} does: a stream of its events, with a promise of the result. */
export function initiateGroupChatStream<C extends object>(
  pattern: GroupPattern<C>,
  messages: FirstMessages,
  options: Omit<GroupChatRunOptions, 'emit'> = {},
): EventStream<GroupChatResult<C>> {
  checkCall({ pattern, messages, options }, 'initiateGroupChatStream')
  return operateStream(runPattern(pattern, messages, options), defaultsOf(pattern), options)
}

/** Returns the `io` of events that no other run takes: that of the user agent, or of the first member. */
function defaultsOf<C extends object>({ agents, userAgent, groupManagerArgs }: GroupPattern<C>) {
  const members: readonly unknown[] = Array.isArray(agents) ? agents : []
  const first = userAgent ?? members.find(Boolean)
  if (!first) throw new XError('invalid-argument', 'cannot run a pattern: it has no `agents`; give a list of them')
  const { agent } = readMember(first, userAgent ? members.length : members.indexOf(first))
  const { io, now, tracer } = internalsOf(agent)
  return { io: groupManagerArgs?.io ?? io ?? consoleIo(), now, tracer }
}
