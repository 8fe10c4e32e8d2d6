import { ConversableAgent, type NestedChat } from '@x/agent'
import { forgetConversation, inReplyOf, internalsOf, modelsOf, stepsReply } from '@x/agent/steps'
import type { ChatMessage, Reply } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { saysSomething } from '../group/group-messages.ts'
import { isTargetObject, type GroupChatTarget, type NestedChatTarget, type Target } from '../handoff/target.ts'
import { StandInAgent, toolCallsOf, type PatternRun, type StandIn } from './pattern-run.ts'

/** Runs the inner group of a target, and returns its summary. */
export type RunInnerGroup = (outer: PatternRun, target: GroupChatTarget, message: string | ChatMessage) => Steps<string>

/** True if a target is nested chats or an inner group, which a stand-in speaks for. */
export const needsStandIn = (target: unknown): target is StandIn['target'] =>
  isTargetObject(target) && (target['~target'] === 'nestedChat' || target['~target'] === 'groupChat')

/** Beginnings of the names of stand-ins. */
export const STAND_IN_PREFIXES = ['wrapped_nested_', 'wrapped_group_'] as const

/** Returns the stand-in of a target for the agent that hands over; the first call makes it. */
export function getStandIn(
  run: PatternRun,
  parent: ConversableAgent,
  target: StandIn['target'],
  runInner: RunInnerGroup,
): StandIn {
  const standIn = findStandIn(run, parent, target) ?? makeStandIn(run, parent, target, runInner)
  run.standIns.set(standIn.agent, standIn)
  return standIn
}

/** Returns the stand-in of a target that was made for the agent that hands over. */
export const findStandIn = (run: PatternRun, parent: ConversableAgent, target: Target): StandIn | undefined =>
  [...run.standIns.values()].find((each) => each.parent === parent && each.target === target)

function makeStandIn(
  run: PatternRun,
  parent: ConversableAgent,
  target: StandIn['target'],
  runInner: RunInnerGroup,
): StandIn {
  const isNested = target['~target'] === 'nestedChat'
  const number = [...run.standIns.values()].filter((each) => each.parent === parent).length + 1
  const { io } = internalsOf(run.manager)
  const agent = new StandInAgent({
    name: `${STAND_IN_PREFIXES[isNested ? 0 : 1]}${parent.name}_${number}`,
    description: isNested ? `A chat inside for ${parent.name}.` : `A group inside for ${parent.name}.`,
    humanInputMode: 'NEVER',
    io,
  })
  if (target['~target'] === 'nestedChat') registerChats(run, { agent, parent }, target)
  else {
    const reply = stepsReply('runGroup', function* (self) {
      return [true, yield* inReplyOf(self, runInner(run, target, messageBeforeHandoff(run, parent)))] as const
    })
    agent.registerReply([ConversableAgent, null], reply)
  }
  return { agent, parent, target }
}

function registerChats(
  run: PatternRun,
  { agent, parent }: Omit<StandIn, 'target'>,
  { chatQueue }: NestedChatTarget,
): void {
  const [first, ...rest] = chatQueue
  const needsMessage = first !== undefined && (first.message ?? first.carryoverConfig) === undefined
  const queue = needsMessage
    ? [{ ...first, message: (): Reply => messageBeforeHandoff(run, parent) } as NestedChat, ...rest]
    : chatQueue
  agent.registerReply([ConversableAgent], endChat)
  agent.registerNestedChats(queue, run.manager, { position: 0 })
}

/** Ends a chat that a stand-in began, once the recipient has answered: the stand-in has nothing to say there. */
const endChat = stepsReply('endChat', function* ({ name }, { messages, sender }) {
  const [call] = toolCallsOf(messages.at(-1) ?? {})
  if (call) {
    const text = `nobody makes the call of \`${sender?.name}\` to \`${call.function.name}\` in a nested chat: give that chat a \`sender\` that executes it, or hand over to a \`groupChat\` with \`${sender?.name}\``
    yield { type: 'warning', agent: name, topic: 'handoff', text }
  }
  return [true, null] as const
})

/** Begins the chats of a stand-in: the run pays for them, and recipients forget those of earlier runs. */
export function enterStandIn(run: PatternRun, { agent, target }: StandIn): void {
  if (target['~target'] !== 'nestedChat') return
  const recipients = target.chatQueue.map(({ recipient }) => recipient)
  run.otherModels.add(() => modelsOf(recipients))

  for (const each of recipients) {
    for (const { counterpart: other } of [...internalsOf(each).conversations.values()]) {
      if (other instanceof StandInAgent && other.isOver && other.name === agent.name) forgetConversation(each, other)
    }
  }
}

/**
 * Returns the message for inner chats: the text beside the handoff, or else the last message before it, as the agent that
 * hands over was shown it.
 */
function messageBeforeHandoff(run: PatternRun, parent: ConversableAgent): string | ChatMessage {
  const messages = shownTo(run, parent)
  const notice = run.handoffNotice
  const isAnswer = messages.at(-1)?.role === 'tool' && toolCallsOf(messages.at(-2) ?? {}).length > 0
  const { content } = (isAnswer || notice ? messages.slice(0, -1) : messages).findLast(saysSomething) ?? {}
  return Array.isArray(content) ? { content } : ((content as string | undefined) ?? '')
}

/** Returns the messages of the group as a member was shown them. */
export const shownTo = ({ group, manager }: PatternRun, agent: ConversableAgent): readonly ChatMessage[] =>
  (internalsOf(agent).conversations.get(manager) ?? group).messages
