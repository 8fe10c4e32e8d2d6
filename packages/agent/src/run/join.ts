import type { RunOptions } from '@x/interfaces'
import { scopeOf } from '@x/kernel/run'
import { isConsole } from '../memory/printing.ts'
import { openCall } from './open-call.ts'
import { newRunId } from './platform.ts'
import { participantsIn } from './participants.ts'
import type { RunDefaults } from './run-defaults.ts'
import { Scope, type RunServices } from './scope.ts'
import { SPAN_TYPES } from './span-types.ts'

function makeOnce(make: () => string): () => string {
  let made: string | undefined
  return () => (made ??= make())
}

/**
 * The scope that an operation begins with: that of the run it becomes part of, or one of its own. `streams` says that
 * its events are read as a stream.
 */
export function scopeFor(
  { run, emit }: Pick<RunOptions, 'run' | 'emit'>,
  { io, now }: RunDefaults,
  streams: boolean,
): Scope {
  const around = run && (scopeOf(run) as Scope | undefined)
  const types = emit || streams ? null : around ? around.means.types : run ? null : (io.takes ?? null)
  const means: RunServices = {
    types,
    prints: !emit && !streams && (around ? around.means.prints : !run && isConsole(io)),
    spans: types === null || SPAN_TYPES.some((type) => types.has(type)),
    now: around?.means.now ?? now,
    runId: around?.means.runId ?? makeOnce(newRunId),
    open: openCall,
  }
  if (!around) return new Scope(means, null, { streams })
  // Agents that a tool makes for what it starts may have the names of others.
  const participants = around.participants && participantsIn(around.participants)
  return new Scope(means, around, { participants, streams: around.streams || streams })
}
