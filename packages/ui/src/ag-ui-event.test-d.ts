import type { Event, EventType, Interrupt, RunFinishedOutcome } from '@ag-ui/core'
import { expectTypeOf, it } from 'vitest'
import type { AgUiInterrupt, AgUiOutcome } from './ag-ui-event.ts'
import type { AgUiEvent } from './index.ts'

/** An event with its type as text, as it travels. */
type Plain<E> = E extends { type: EventType } ? Omit<E, 'type'> & { type: `${E['type']}` } : never

it('has the events that AG-UI declares', () => {
  expectTypeOf<AgUiInterrupt>().toExtend<Interrupt>()
  expectTypeOf<AgUiOutcome>().toExtend<RunFinishedOutcome>()
  // The messages of a snapshot are those of the page, which its client checks.
  expectTypeOf<Exclude<AgUiEvent, { type: 'MESSAGES_SNAPSHOT' }>>().toExtend<Plain<Event>>()
})
