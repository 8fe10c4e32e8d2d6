import type { Agent, Trigger } from '@x/interfaces'
import { XError } from '@x/kernel'

type AgentClass = abstract new (...args: never) => Agent

/** Refuses what is not a trigger with `invalid-argument`. */
export function checkTrigger(trigger: Trigger): void {
  const kind = typeof trigger
  if (kind === 'string' || kind === 'function' || Array.isArray(trigger) || isAgent(trigger)) return
  refuseTrigger(trigger)
}

function refuseTrigger(trigger: unknown): never {
  throw new XError(
    'invalid-argument',
    `the trigger of a reply function is ${trigger === null ? 'null' : `a ${typeof trigger}`}: give a class, a name, an agent, a function, or a list of these`,
  )
}

/** Makes the test whether a trigger matches the sender of a message; null is the missing sender. */
export function matcher(trigger: Trigger): (sender: Agent | null) => boolean {
  if (trigger === null) return (sender) => sender === null
  if (typeof trigger === 'string') return (sender) => sender?.name === trigger
  if (typeof trigger === 'function') {
    return isClass(trigger) ? (sender) => sender instanceof trigger : trigger
  }
  if (Array.isArray(trigger)) {
    const matchers = (trigger as readonly Trigger[]).map(matcher)
    return (sender) => matchers.some((matches) => matches(sender))
  }
  if (isAgent(trigger)) return (sender) => trigger === sender
  return () => refuseTrigger(trigger)
}

const isAgent = (value: unknown): boolean => typeof value === 'object' && value !== null && '~state' in value

// A class can be told from a function by its source alone.
const isClass = (value: object): value is AgentClass => /^class\b/u.test(Function.prototype.toString.call(value))
