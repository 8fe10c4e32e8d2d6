import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { AgUiEvent } from './ag-ui-event.ts'
import { type AgUiOptions, AgUiWriter } from './ag-ui-writer.ts'
import { type RunEvents, writingKinds, WrittenRun } from './written-run.ts'

/**
 * Writes the events of a run as events of AG-UI 1.0, from `RUN_STARTED` to `RUN_FINISHED`. The run waits for its reader, and leaving
 * the loop stops it. A run that fails ends with `RUN_ERROR`, one that is stopped with the outcome `cancelled`; neither fails the
 * reader. A run that waits for decisions ends with the outcome `interrupt`, also that of a hosted chat.
 */
export function toAgUi(events: RunEvents, options: AgUiOptions): AsyncIterableIterator<AgUiEvent> {
  checkOptions({ ...options, input: options.input ?? null }, KINDS, 'write a run in AG-UI')
  return new WrittenRun(events, new AgUiWriter(options), options)
}

const KINDS: OptionKinds<AgUiOptions> = { ...writingKinds, input: kind.object }
