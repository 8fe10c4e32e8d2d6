import type { Journal, JournalEntry, Run, UsageSummary } from '@x/interfaces'
import { XError } from '@x/kernel'
import { failRun, RUN_PLACE, unescapeTexts } from '@x/kernel/run'
import { plainJson, sameJson } from '../data/plain-json.ts'
import type { State } from '../memory/state.ts'
import { withAllMembers } from '../memory/usage.ts'
import { type AgentState, CHECKPOINT_VERSION } from '../options/operations.ts'
import { openCall } from '../run/external-call.steps.ts'
import type { ScopeJournal } from '../run/recorder.ts'
import { scopeIn } from '../run/scope.ts'
import { agentStateOf, restoreAgent } from './saved-agent.ts'
import { unknownVersion } from './saved-shapes.ts'

/** Most characters of the JSON text of a checkpoint: it is written after each message, and read before the next. */
const MAX_CHECKPOINT_CHARACTERS = 1_048_576

/** How a run begins, as its journal keeps it. */
export interface RunBeginning {
  readonly runId: string
  readonly version?: string
  /** True if the entries say what had ended before them; false for a run of an earlier version. */
  readonly ends?: boolean
}

/** Value of a journal entry of kind `checkpoint`, beside what the caller of the run adds. */
interface Checkpoint {
  readonly version: typeof CHECKPOINT_VERSION
  /** The beginning of the run, whose entry comes before the checkpoint. */
  readonly run: RunBeginning
  /** Number of identifiers of spans that have no place. */
  readonly spans: number
  /** The agents with which the run has had chats, by their names. */
  readonly agents: readonly AgentState[]
  /** Usage of all requests of the run. */
  readonly used: UsageSummary
}

/** Returns the checkpoint from which a journal goes on; refuses one of another version. */
export function checkpointOf({ checkpoint }: Journal): (Checkpoint & { readonly place: string }) | null {
  if (!checkpoint) return null
  const { place, value } = checkpoint
  const { version } = value as Partial<Checkpoint>
  if (version !== CHECKPOINT_VERSION) throw unknownVersion('checkpoint', version)
  return { ...(unescapeTexts(value) as Checkpoint), place }
}

/** Returns the beginning of the run of a checkpoint, as an entry of its own. */
export const beginningIn = ({ value }: JournalEntry): JournalEntry => ({
  place: RUN_PLACE,
  kind: 'begin',
  value: (value as Partial<Checkpoint> | null)?.run ?? {},
})

/** The agents in the checkpoints of a run, by their names: its function has had chats with them itself. */
export class RunAgents {
  /** The agents that have taken part since the run began in this process. */
  readonly #live = new Map<string, State>()
  /** States of the last checkpoint, for agents that have not taken part since. */
  #saved: Map<string, AgentState>

  constructor(saved: readonly AgentState[]) {
    this.#saved = byName(saved)
  }

  /** Notes an agent that takes part. One that is new here goes on as the agent of its name did before the checkpoint. */
  enter(state: State): void {
    const { name } = state
    if (this.#live.get(name) === state) return
    this.#live.set(name, state)
    const saved = this.#saved.get(name)
    this.#saved.delete(name)
    if (saved) restoreAgent(state, saved)
  }

  /** Returns the states of all agents. */
  save(): readonly AgentState[] {
    const live = [...this.#live.values()].map((state) => agentStateOf(state))
    return [...byName([...this.#saved.values(), ...live]).values()]
  }

  /** Notes the states that a checkpoint keeps: an agent that is made later goes on from them, whether the process was another or not. */
  noteSaved(saved: readonly AgentState[]): void {
    this.#saved = byName(saved)
  }
}

const byName = (states: readonly AgentState[]): Map<string, AgentState> =>
  new Map(states.map((state) => [state.name, state]))

/**
 * Lets agents and their members go on as they did before the checkpoint of the run, if its function has begun the operation
 * itself.
 */
export function enterRun({ participants }: ScopeJournal, states: readonly State[]): void {
  const agents = participants.outer?.agents
  if (agents) for (const state of withAllMembers(states)) agents.enter(state)
}

/** Returns a checkpoint as plain JSON; one that is too long is refused with `invalid-state`, which names its longest part. */
function checkedCheckpoint<T extends Checkpoint>(checkpoint: T): T {
  const plain = plainJson(checkpoint, 'a checkpoint') as T
  const length = lengthOf(plain)
  if (length <= MAX_CHECKPOINT_CHARACTERS) return plain
  const { agents, state = null } = plain as T & { readonly state?: unknown }
  const parts = [
    { what: 'its state', length: lengthOf(state) },
    ...agents.map((each) => ({ what: `the agent \`${each.name}\``, length: lengthOf(each) })),
  ]
  const longest = parts.reduce((one, other) => (other.length > one.length ? other : one))
  throw new XError(
    'invalid-state',
    `cannot keep a checkpoint of ${length} characters, the most is ${MAX_CHECKPOINT_CHARACTERS}; ${longest.what} has ${longest.length}: keep fewer messages, such as by \`agent.clearHistory(undefined, { nrMessagesToPreserve: 40 })\``,
    { details: { length, most: MAX_CHECKPOINT_CHARACTERS, longest: longest.what } },
  )
}

const lengthOf = (value: unknown): number => JSON.stringify(value).length

/** Identity of a run, and what its caller adds to a checkpoint. */
interface GivenCheckpoint extends Omit<RunBeginning, 'version'> {
  readonly version?: string | undefined
  readonly added: Readonly<Record<string, unknown>>
}

/** Keeps a checkpoint at the next place of the run; one that is recalled has to be the same. */
export async function keepCheckpoint(
  run: Run,
  agents: RunAgents,
  { added, runId, version }: GivenCheckpoint,
): Promise<void> {
  const scope = scopeIn(run)
  const open = openCall(scope, run, { kind: 'checkpoint', label: 'a checkpoint' })
  open.end()
  // Who goes on from the checkpoint has none of the chats before it.
  delete scope.journal?.participants.ends
  if (open.known) {
    const saved = open.known.value as Checkpoint & { readonly state?: unknown }
    const given = plainJson(added, 'a checkpoint') as { readonly state?: unknown }
    if (!sameJson(saved.state, given.state)) return failRun(run, otherState(open.place, saved.state, given.state))
    return agents.noteSaved(saved.agents)
  }
  const kept = agents.save()
  const checkpoint = checkedCheckpoint({
    ...added,
    version: CHECKPOINT_VERSION,
    run: { runId, ...(version !== undefined && { version }), ends: true },
    spans: scope.places.spans,
    agents: kept,
    used: scope.tally!.sum,
  })
  await open.keep(checkpoint)
  agents.noteSaved(checkpoint.agents)
}

const otherState = (place: string, saved: unknown, given: unknown): XError =>
  new XError(
    'invalid-state',
    `the chat does not go on as it was saved: at \`${place}\` the journal has a checkpoint of another state`,
    { details: { place, saved, given } },
  )
