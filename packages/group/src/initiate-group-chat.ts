import { internalsOf, operate, operateStream, operateSync } from '@x/agent/steps'
import type { EventStream, RunOptions } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, runOptionKinds, type OptionKinds } from '@x/kernel/options'
import { ConversableAgent, consoleIo } from '@x/agent'
import type { GroupPattern, Member } from './pattern/pattern.ts'
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
  summaryArgs: kind.object,
  safeguardPolicy: kind.object,
  safeguardLlmConfig: kind.object,
  ...runOptionKinds,
}

/** Runs a group chat by a pattern: its rules and the handoffs of the members decide who speaks. */
export async function initiateGroupChat<C extends object>(
  pattern: GroupPattern<C>,
  messages: FirstMessages,
  options: GroupChatRunOptions = {},
): Promise<GroupChatResult<C>> {
  checkOptions(options, INITIATE_GROUP_CHAT_KINDS, 'run `initiateGroupChat`')
  return await operate(runPattern(pattern, messages, options), defaultsOf(pattern), options)
}

/** Runs a group chat by a pattern as {@link initiateGroupChat} does, blocking. */
export function initiateGroupChatSync<C extends object>(
  pattern: GroupPattern<C>,
  messages: FirstMessages,
  options: Omit<GroupChatRunOptions, 'signal'> = {},
): GroupChatResult<C> {
  checkOptions(options, INITIATE_GROUP_CHAT_KINDS, 'run `initiateGroupChatSync`')
  return operateSync(runPattern(pattern, messages, options), defaultsOf(pattern), options)
}

/** Runs a group chat by a pattern as {@link initiateGroupChat} does: a stream of its events, with a promise of the result. */
export function initiateGroupChatStream<C extends object>(
  pattern: GroupPattern<C>,
  messages: FirstMessages,
  options: Omit<GroupChatRunOptions, 'emit'> = {},
): EventStream<GroupChatResult<C>> {
  checkOptions(options, INITIATE_GROUP_CHAT_KINDS, 'run `initiateGroupChatStream`')
  return operateStream(runPattern(pattern, messages, options), defaultsOf(pattern), options)
}

/** Returns the `io` of events that no other run takes: that of the user agent, or of the first member. */
function defaultsOf<C extends object>({ agents, userAgent, groupManagerArgs }: GroupPattern<C>) {
  const first = [userAgent, ...(Array.isArray(agents) ? (agents as readonly unknown[]) : [])].find(Boolean)
  const agent = first instanceof ConversableAgent ? first : (first as Member | undefined)?.agent
  if (!agent) throw new XError('invalid-argument', 'cannot run a pattern: it has no `agents`; give a list of them')
  const { io, now } = internalsOf(agent)
  return { io: groupManagerArgs?.io ?? io ?? consoleIo(), now }
}
