import type { JournalEntry, UsageSummary } from '@x/interfaces'
import type { XError } from '@x/kernel'
import { plainContext, restoreContext } from './plain-json.ts'
import type { State } from '../state/state.ts'
import { added } from '../state/usage.ts'

/** What calls of a model have used, with and without cache hits. */
export interface Used {
  readonly actual: UsageSummary | null
  readonly total: UsageSummary | null
}

/** An agent that takes part in a journaled run. */
interface Party {
  readonly state: State
  /** Its context variables as the journal has them, as JSON text. */
  context: string
  /** The change of context variables it stands at: answers that came side by side are recalled in another order. */
  at: number
}

/**
 * Those who take part in a journaled run, or inside one leaf of it. A leaf that has answered is not asked again, and with
 * it everything inside: what that did to those outside is kept with the answer.
 */
export interface Circle {
  readonly outer: Circle | null
  readonly parties: Map<string, Party>
  /** What the models of agents have used inside. */
  readonly used: Map<State, Used>
  /** Counts the changes of context variables in the run. */
  readonly changes: { count: number }
  /** Why a leaf cannot answer: something inside it waits for an approval. */
  suspended: XError | null
}

/** A circle inside another; the outermost one goes on counting where an earlier run of the chat ended. */
export const circleIn = (outer: Circle | null, changes = 0): Circle => ({
  outer,
  parties: new Map(),
  used: new Map(),
  changes: outer?.changes ?? { count: changes },
  suspended: null,
})

/** A circle and those around it, innermost first. */
function* around(circle: Circle): Generator<Circle> {
  for (let each: Circle | null = circle; each; each = each.outer) yield each
}

/**
 * Lets an agent take part; says whether it does so for the first time, and fails with `undefined` when another one of its
 * name does: the two could not be told apart.
 */
export function takesPart(circle: Circle, state: State): boolean | undefined {
  for (const { parties } of around(circle)) if (parties.get(state.name)?.state === state) return false
  if (circle.parties.has(state.name)) return undefined
  const context = JSON.stringify(plainContext(state.context))
  circle.parties.set(state.name, { state, context, at: 0 })
  return true
}

/** Notes that something inside waits for an approval: no leaf around it has an answer, whatever its code makes of that. */
export function suspend(circle: Circle, error: XError): void {
  for (const each of around(circle)) each.suspended ??= error
}

/** Notes what a call of an agent's model used. */
export function noteUse(circle: Circle, state: State, used: Used): void {
  for (const each of around(circle)) each.used.set(state, together(each.used.get(state), used))
}

/** What a journal keeps of those who take part, beside an answer: what changed with it. */
export function changedWith(circle: Circle, inside: Circle | null): Pick<JournalEntry, 'context' | 'at' | 'used'> {
  const context: Record<string, Record<string, unknown>> = {}
  const used: Record<string, Used> = {}
  for (const [label, party] of labelled(circle)) {
    const its = inside?.used.get(party.state)
    if (its) used[label] = its
    const now = plainContext(party.state.context)
    const text = JSON.stringify(now)
    if (party.context === text) continue
    party.context = text
    party.at = circle.changes.count + 1
    context[label] = now
  }
  const changed = Object.keys(context).length > 0
  return {
    ...(changed && { context, at: ++circle.changes.count }),
    ...(Object.keys(used).length > 0 && { used }),
  }
}

/** Puts what changed with an answer in place. */
export function recallChanges(circle: Circle, { context = {}, at = 0, used = {} }: JournalEntry): void {
  for (const [label, party] of labelled(circle)) {
    const { state } = party
    if (Object.hasOwn(context, label) && party.at < at) {
      restoreContext(state.context, context[label]!)
      party.context = JSON.stringify(context[label])
      party.at = at
    }
    if (!Object.hasOwn(used, label)) continue
    state.model?.restoreUsage?.(used[label]!)
    noteUse(circle, state, used[label]!)
  }
}

/** Those who take part by name; `^` before it for each circle further out. */
function* labelled(circle: Circle): Generator<[string, Party]> {
  let prefix = ''
  for (const { parties } of around(circle)) {
    for (const [name, party] of parties) yield [prefix + name, party]
    prefix += '^'
  }
}

const together = (a: Used | undefined, b: Used): Used => ({
  actual: sum(a?.actual ?? null, b.actual),
  total: sum(a?.total ?? null, b.total),
})

const sum = (a: UsageSummary | null, b: UsageSummary | null): UsageSummary | null => (a && b ? added([a, b]) : (a ?? b))
