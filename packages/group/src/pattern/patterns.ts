import type { ConversableAgent } from '@x/agent'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { groupManager, randomAgent, askUser } from '../handoff/target.ts'
import { isTarget } from '../handoff/target-text.ts'
import type { GroupPattern, PatternOptions, PatternTurn } from './pattern.ts'

const KINDS: OptionKinds<PatternOptions> = {
  initialAgent: { ...kind.either(kind.text, kind.object), expected: 'an agent, or the name of one' },
  agents: kind.list,
  userAgent: kind.object,
  contextVariables: kind.object,
  groupAfterWork: { expected: 'an agent, its name, or another target', takes: isTarget },
  until: kind.call,
  targets: kind.list,
  excludeTransitMessage: kind.flag,
  summaryMethod: kind.either(kind.text, kind.call),
  groupManagerArgs: kind.object,
  random: kind.call,
}

/** Makes a pattern of checked options; what a pattern sets itself comes behind them. */
function patternOf<C extends object>(options: object, own: Partial<GroupPattern<C>> = {}): GroupPattern<C> {
  checkOptions(options ?? null, KINDS as never, 'make a pattern')
  return Object.freeze({ ...options, ...own } as GroupPattern<C>)
}

/** A group in which handoffs alone decide; without one the chat ends. */
export const defaultPattern = <C extends object = Record<string, unknown>>(
  options: PatternOptions<C>,
): GroupPattern<C> => patternOf(options)

/** Options of a pattern whose manager's model chooses. */
type AutoOptions<C extends object> = Omit<PatternOptions<C>, 'groupAfterWork'> & {
  /** The last message of the model's request; `{agentlist}` and context variables are filled in. Default: built in. */
  readonly selectionMessage?: string | undefined
}

/** A group in which the manager's model chooses whenever no handoff does. */
export const autoPattern = <C extends object = Record<string, unknown>>({
  selectionMessage,
  ...options
}: AutoOptions<C>): GroupPattern<C> => patternOf(options, { groupAfterWork: groupManager({ selectionMessage }) })

/** A group in which the agents speak in turn: the initial agent, the others in their order, the user agent last. */
export const roundRobinPattern = <C extends object = Record<string, unknown>>(
  options: Omit<PatternOptions<C>, 'groupAfterWork'>,
): GroupPattern<C> => {
  const { initialAgent } = options
  const isInitial = (agent: ConversableAgent): boolean => agent === initialAgent || agent.name === initialAgent
  const next = ({ speaker, agents, userAgent }: PatternTurn): ConversableAgent => {
    const first = agents.filter(isInitial)
    const order = [...first, ...agents.filter((agent) => !isInitial(agent)), ...(userAgent ? [userAgent] : [])]
    return order[(order.indexOf(speaker) + 1) % order.length]!
  }
  return patternOf(options, { next })
}

/** A group in which chance chooses among all others, the user agent included. */
export const randomPattern = <C extends object = Record<string, unknown>>(
  options: Omit<PatternOptions<C>, 'groupAfterWork'>,
): GroupPattern<C> => {
  const next = ({ agents, userAgent }: PatternTurn) => randomAgent(userAgent ? [...agents, userAgent] : agents)
  return patternOf(options, { next })
}

/** A group in which a person chooses, by number, whenever no handoff does. */
export const manualPattern = <C extends object = Record<string, unknown>>(
  options: Omit<PatternOptions<C>, 'groupAfterWork'>,
): GroupPattern<C> => patternOf(options, { groupAfterWork: askUser })
