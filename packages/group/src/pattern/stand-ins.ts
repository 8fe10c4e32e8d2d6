import { ConversableAgent, type NestedChat } from '@x/agent'
import { forgetConversation, inReplyOf, internalsOf, modelsOf, stepsReply } from '@x/agent/steps'
import type { ChatMessage, Reply } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { isTargetObject, type GroupChatTarget, type NestedChatTarget } from '../handoff/target.ts'
import { StandInAgent, callsIn, type PatternRun, type StandIn } from './pattern-run.ts'

/** A target that an agent stands for. */
type StoodFor = NestedChatTarget | GroupChatTarget

/** Runs the group of a target, and gives its summary. */
export type RunInnerGroup = (outer: PatternRun, target: GroupChatTarget, message: string) => Steps<string>

/** Whether a target is chats or a group, which an agent stands for. */
export const isForStandIn = (target: unknown): target is StoodFor =>
  isTargetObject(target) && (target['~target'] === 'nestedChat' || target['~target'] === 'groupChat')

/** The stand-in of a target for an agent that hands over; it is made the first time. */
export function standInFor(
  run: PatternRun,
  parent: ConversableAgent,
  target: StoodFor,
  runInner: RunInnerGroup,
): StandIn {
  const known = run.standInsOf.get(parent) ?? new Map<unknown, StandIn>()
  run.standInsOf.set(parent, known)
  const made = known.get(target) ?? makeStandIn(run, parent, target, runInner)
  known.set(target, made)
  run.standIns.set(made.agent, made)
  return made
}

function makeStandIn(run: PatternRun, parent: ConversableAgent, target: StoodFor, runInner: RunInnerGroup): StandIn {
  const kind = target['~target'] === 'nestedChat' ? 'nested' : 'group'
  const number = [...run.standIns.values()].filter((each) => each.parent === parent).length + 1
  const { io } = internalsOf(run.manager)
  const agent = new StandInAgent({
    name: `wrapped_${kind}_${parent.name}_${number}`,
    description: kind === 'nested' ? `A chat inside for ${parent.name}.` : `A group inside for ${parent.name}.`,
    humanInputMode: 'NEVER',
    io,
  })
  if (target['~target'] === 'nestedChat') registerChats(run, agent, target)
  else {
    const reply = stepsReply('runGroup', function* (self) {
      return [true, yield* inReplyOf(self, runInner(run, target, textBeforeHandoff(run)))] as const
    })
    agent.registerReply([ConversableAgent, null], reply)
  }
  return { agent, parent }
}

function registerChats(run: PatternRun, agent: StandInAgent, { chatQueue }: NestedChatTarget): void {
  const [first, ...rest] = chatQueue
  const isTold = first !== undefined && (first.message ?? first.carryoverConfig) === undefined
  const queue = isTold ? [{ ...first, message: (): Reply => textBeforeHandoff(run) } as NestedChat, ...rest] : chatQueue
  agent.registerNestedChats(queue, [ConversableAgent, null], { position: 0 })
}

/** Notes that the chats of a stand-in begin: their cost is part of the run's. */
export function enterStandIn(run: PatternRun, { agent, parent }: StandIn): void {
  const target = [...(run.standInsOf.get(parent) ?? [])].find(([, each]) => each.agent === agent)?.[0]
  if (!isForStandIn(target) || target['~target'] !== 'nestedChat') return
  const recipients = target.chatQueue.map(({ recipient }) => recipient)
  run.otherModels.add(() => modelsOf(recipients))
  // Those of earlier runs have ended.
  for (const each of recipients) {
    for (const { counterpart: other } of [...internalsOf(each).conversations.values()]) {
      if (other instanceof StandInAgent && other.isOver && other.name === agent.name) forgetConversation(each, other)
    }
  }
}

/** What chats inside are told: the words beside the handoff, or else the last message before it. */
function textBeforeHandoff({ group: { messages }, handoffNotice: notice }: PatternRun): string {
  const last = messages.at(-1)
  const isAnswer = last?.role === 'tool' && callsIn(messages.at(-2) ?? {}).length > 0
  const before = isAnswer ? messages.slice(0, -1) : notice ? messages.slice(0, -1) : messages
  return before.map(textOf).findLast((text) => text !== '') ?? ''
}

const textOf = ({ content }: ChatMessage): string => (typeof content === 'string' ? content : '')
