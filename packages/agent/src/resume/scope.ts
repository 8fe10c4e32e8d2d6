import type { Agent, Emit, Journal, Run, RunScope, XEvent } from '@x/interfaces'
import { within, type Steps } from '@x/kernel'
import type { ChatBudget } from '../chat/chat-budget.ts'
import type { ChatUnderWay } from '../chat/chat-cache.ts'
import { circleIn, type Circle } from './circle.ts'

/** What a chat hands down to everything that happens in it. */
export interface Scope extends RunScope {
  /** What all of it may spend together; null: no limit. */
  readonly budget: ChatBudget | null
  /** The chat itself; a run outside of chats has none. */
  readonly chat: ChatUnderWay | null
  /** How many chats it is inside of. */
  readonly depth: number
  /** Place in the journal: `1` for a chat, `1.3` for what came third in it. */
  readonly key: string
  /** Where the answers of leaves are kept and recalled; null: nowhere. */
  readonly journal: Journal | null
  /** Counts what began in this scope, so that each has a place of its own: the same one in every run of the chat. */
  readonly places: { next: number }
  /** Whether a stream of events is read: models then answer piece by piece, inside tools too. */
  readonly streams: boolean
  /** Those who take part, if there is a journal. */
  readonly circle: Circle | null
}

/** What is different in a scope inside another. */
interface ScopeChange {
  readonly key: string
  readonly chatId?: string | undefined
  /** The agent in whose reply it happens. */
  readonly agent?: Agent | undefined
  readonly budget?: ChatBudget | null | undefined
  readonly chat?: ChatUnderWay | undefined
  readonly circle?: Circle | null | undefined
}

/** The scope of a run; none outside a chat. */
export const scopeOf = ({ emit }: Pick<Run, 'emit'>): Scope | undefined => emit.scope as Scope | undefined

/** The place of what begins next in a scope. */
export const nextPlace = (scope: Scope): string => joined(scope.key, scope.places.next++)

const joined = (key: string, place: number | string): string => (key === '' ? String(place) : `${key}.${place}`)

/** The scope of the outermost chats of a run; their places are their identifiers. */
export const rootScope = (
  { journal, budget, streams }: Pick<Scope, 'journal' | 'budget' | 'streams'>,
  { agentPath = [], depth = 0 }: Partial<Pick<Scope, 'agentPath' | 'depth'>> = {},
): Scope => ({
  depth,
  chatId: '',
  chat: null,
  key: '',
  agentPath,
  budget,
  journal,
  streams,
  places: { next: 1 },
  circle: journal && circleIn(null, journal.length),
})

/** A scope inside another. */
export const innerScope = (outer: Scope, { key, chatId, agent, budget, chat, circle }: ScopeChange): Scope => ({
  ...outer,
  key,
  places: { next: 0 },
  ...(chatId !== undefined && { chatId }),
  ...(agent && { agentPath: [...outer.agentPath, agent.name] }),
  ...(budget && { budget }),
  ...(chat && { chat, depth: outer.depth + 1 }),
  ...(circle && { circle }),
})

/** An emit for what happens in a scope: its events say where they come from, and those of a recalled part are not sent. */
export function emitIn(scope: Scope, outer: Emit): Emit {
  const { chatId, journal, key, places } = scope
  const paths = new Map<string, readonly string[]>()
  const pathTo = (name: string | null | undefined): readonly string[] => {
    if (!name) return scope.agentPath
    let path = paths.get(name)
    if (!path) paths.set(name, (path = [...scope.agentPath, name]))
    return path
  }
  const emit = (event: XEvent): void | PromiseLike<void> => {
    if (event.chatId !== undefined) return outer(event)
    // What came before an answer that the journal has was sent when it was kept.
    if (journal && journal.lastPlace(key) >= places.next) return
    return outer({ ...event, ...(chatId !== '' && { chatId }), agentPath: pathTo(actorOf(event)) })
  }
  return Object.assign(emit, { scope })
}

/** The agent that an event is about. */
function actorOf(event: XEvent): string | null | undefined {
  if ('agent' in event) return event.agent
  if (event.type === 'receivedMessage') return event.sender
  return 'recipient' in event ? event.recipient : null
}

/** Runs steps in a scope of their own. */
export const inScope = <T>(scope: Scope, steps: Steps<T>): Steps<T> => within((run) => emitIn(scope, run.emit), steps)

/** Makes a run part of another: one that is given its `emit` has its scope. */
export function partOf<T>(emit: Emit | undefined, steps: Steps<T>): Steps<T> {
  const around = emit && scopeOf({ emit })
  if (!around) return steps
  return within((run) => {
    // Agents that a leaf makes for what it starts may have the names of others.
    const circle = around.circle && circleIn(around.circle)
    const scope: Scope = { ...around, circle, streams: around.streams || run.face === 'stream' }
    return Object.assign((event: XEvent) => run.emit(event), { scope })
  }, steps)
}
