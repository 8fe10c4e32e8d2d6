import { internalsOf, operate, operateStream, operateSync } from '@x/agent/steps'
import type { ChatMessage, EventStream, RunOptions } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, runOptionKinds, type OptionKinds } from '@x/kernel/options'
import { ConversableAgent, consoleIo } from '@x/agent'
import type { GroupPattern, Member } from './pattern/pattern.ts'
import { runPattern, type GroupChatResult, type GroupRunOptions } from './pattern/run-pattern.steps.ts'

/** What a group chat begins with: a text, one message, or the messages of before with a further one. */
type FirstMessages = string | ChatMessage | readonly ChatMessage[]

/** Options of a group chat by a pattern. */
export type GroupChatRunOptions = GroupRunOptions & RunOptions

const KINDS: OptionKinds<GroupChatRunOptions> = {
  maxRounds: kind.limit(1),
  silent: kind.orNull(kind.flag),
  cache: kind.orNull(kind.object),
  budget: kind.object,
  journal: kind.object,
  runId: kind.text,
  version: kind.text,
  summaryArgs: kind.object,
  safeguardPolicy: kind.object,
  safeguardLlmConfig: kind.object,
  ...runOptionKinds,
}

/** Runs a group chat by a pattern: from the first message on, the members speak as its rules and their handoffs say. */
export async function initiateGroupChat<C extends object>(
  pattern: GroupPattern<C>,
  messages: FirstMessages,
  options: GroupChatRunOptions = {},
): Promise<GroupChatResult<C>> {
  checkOptions(options, KINDS, 'run `initiateGroupChat`')
  return await operate(runPattern(pattern, messages, options), defaultsOf(pattern), options)
}

/** Runs a group chat by a pattern as {@link initiateGroupChat} does, blocking. */
export function initiateGroupChatSync<C extends object>(
  pattern: GroupPattern<C>,
  messages: FirstMessages,
  options: Omit<GroupChatRunOptions, 'signal'> = {},
): GroupChatResult<C> {
  checkOptions(options, KINDS, 'run `initiateGroupChatSync`')
  return operateSync(runPattern(pattern, messages, options), defaultsOf(pattern), options)
}

/** Runs a group chat by a pattern as {@link initiateGroupChat} does: a stream of its events, with a promise of the result. */
export function initiateGroupChatStream<C extends object>(
  pattern: GroupPattern<C>,
  messages: FirstMessages,
  options: Omit<GroupChatRunOptions, 'emit'> = {},
): EventStream<GroupChatResult<C>> {
  checkOptions(options, KINDS, 'run `initiateGroupChatStream`')
  return operateStream(runPattern(pattern, messages, options), defaultsOf(pattern), options)
}

/** Where events go that nobody else takes: to the `io` of the user agent, or of the first member. */
function defaultsOf<C extends object>({ agents, userAgent, groupManagerArgs }: GroupPattern<C>) {
  const first = [userAgent, ...(Array.isArray(agents) ? (agents as readonly unknown[]) : [])].find(Boolean)
  const agent = first instanceof ConversableAgent ? first : (first as Member | undefined)?.agent
  if (!agent) throw new XError('invalid-argument', 'cannot run a pattern: it has no `agents`; give a list of them')
  const { io, now } = internalsOf(agent)
  return { io: groupManagerArgs?.io ?? io ?? consoleIo(), now }
}
