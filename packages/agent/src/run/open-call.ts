import type { Agent, MaybePromise, OpenCall, Run, RunContext } from '@x/interfaces'
import { failRun, partRun } from '@x/kernel/run'
import { participantsIn, type Participants } from './participants.ts'
import type { RecordedCall } from './recorder.ts'
import type { Scope } from './scope.ts'

/** A call that an agent makes. */
export interface AgentCall extends RecordedCall {
  /** The agent in whose reply it is made. */
  readonly agent?: Agent | undefined
  /** Whether what is called keeps nothing by itself, since its answer is kept here. */
  readonly closed?: boolean | undefined
}

/** A call under way. */
export interface CallUnderWay extends OpenCall {
  /** What the function that is called is given of the run. */
  readonly context: RunContext & { readonly run: Run }
  /** The agents that take part inside it, if there is a journal. */
  readonly inside: Participants | null
  /** The scope of what happens inside it. */
  readonly scope: Scope
  /** Names the call in the whole world: the identifier of the run and the place in it. */
  readonly key: string
  /** Whether an earlier process had begun it and came further inside. */
  readonly begunBefore: boolean
}

/**
 * Takes the next place for a call of something outside, and recalls its answer from the journal. A journal that fails, or
 * that has another call at the place, ends the run.
 */
export function openCall(scope: Scope, run: Run, call: AgentCall): CallUnderWay {
  const place = scope.nextPlace()
  const { recorder, participants } = scope
  let known: { readonly value: unknown } | undefined
  if (recorder) {
    try {
      known = recorder.recall(place, call, participants!)
    } catch (error) {
      return failRun(run, error)
    }
  }
  const inside = participants && participantsIn(participants)
  const inner = scope.inner({
    place,
    agent: call.agent,
    participants: inside,
    callKind: call.closed ? call.kind : undefined,
  })
  const part = partRun(run, { scope: inner })
  return {
    place,
    scope: inner,
    run: part.run,
    context: contextOf(part.run),
    get key() {
      return `${recorder?.runId ?? scope.means.runId()}/${place}`
    },
    begunBefore: recorder?.isPast(place, 0) ?? false,
    inside,
    known,
    keep: (value): MaybePromise<void> =>
      recorder?.keep(run, { place, call, value, around: { outside: participants!, inside } }),
    recorded: recorder !== null,
    part: (name) => partOfCall(scope, run, place, name),
    end: () => part.end(),
  }
}

/** A named part of a call, kept at the same place. */
function partOfCall(
  { recorder, participants }: Scope,
  run: Run,
  place: string,
  name: string,
): Pick<OpenCall, 'known' | 'keep'> {
  const call = { kind: 'job', name, label: `the job ${name}` } as const
  try {
    return {
      known: recorder?.recall(place, call, participants!),
      keep: (value): MaybePromise<void> => recorder?.keep(run, { place, call, value }),
    }
  } catch (error) {
    return failRun(run, error)
  }
}

/** The context of a function: the run itself, with its signal and `emit` as conveniences. */
export const contextOf = (run: Run): RunContext & { readonly run: Run } => ({
  run,
  get signal() {
    return run.signal
  },
  get emit() {
    return run.emit
  },
})
