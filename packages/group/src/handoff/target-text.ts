import type { Agent } from '@x/interfaces'
import type { Target, TargetObject } from './target.ts'

/** Whether a value is an agent. */
export const isAgent = (value: unknown): value is Agent =>
  typeof value === 'object' && value !== null && '~state' in value

/** Whether a value is a target that is neither an agent nor the name of one. */
export const isTargetObject = (value: unknown): value is TargetObject =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~target' in value

/** Whether a value may be a target. */
export const isTarget = (value: unknown): value is Target =>
  (typeof value === 'string' && value !== '') || isAgent(value) || isTargetObject(value)

/** The description of a target in events. */
export interface TargetFacts {
  /** Kind of the target. */
  readonly target: string
  /** Name to show. */
  readonly to: string
}

const SHOWN = {
  stay: 'Stay',
  terminate: 'Terminate',
  revertToUser: 'Revert to User',
  askUser: 'Ask User',
  groupManager: 'the group manager',
  randomAgent: 'a random agent',
  nestedChat: 'a nested chat',
  groupChat: 'a group chat',
} as const

/** The kind of a target, and its name to show. */
export function targetFacts(target: Target): TargetFacts {
  if (typeof target === 'string') return { target: 'agentName', to: target }
  if (!isTargetObject(target)) return { target: 'agent', to: target.name }
  const kind = target['~target']
  return { target: kind, to: kind === 'function' ? target.name : SHOWN[kind] }
}

/** The text that a handoff to a target answers to a call. */
export function handoffText(target: Target): string {
  const { to } = targetFacts(target)
  if (!isTargetObject(target)) return `Transfer to ${to}`
  const kind = target['~target']
  if (kind === 'function') return `Transfer to tool ${to}`
  if (kind === 'stay') return 'Stay with agent'
  return kind === 'groupManager' ? `Transfer to ${to}` : to
}

const IN_TOOL_NAMES = {
  stay: 'stay',
  terminate: 'terminate',
  revertToUser: 'revert_to_user',
  askUser: 'ask_user',
  groupManager: 'group_manager',
  randomAgent: 'random',
  nestedChat: 'nested_chat',
  groupChat: 'group_chat',
} as const

/** The part of a tool's name that stands for a target. */
export function toolNamePart(target: Target): string {
  if (!isTargetObject(target)) return targetFacts(target).to
  const kind = target['~target']
  return kind === 'function' ? target.name : IN_TOOL_NAMES[kind]
}
