import type { Run, XEvent } from '@x/interfaces'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { customEvents } from '../index.ts'

declare const event: XEvent
declare const run: Run

const own = customEvents({
  orderPlaced: z.object({ id: z.string(), gift: z.boolean().default(false) }),
  weighed: { type: 'object' },
  noted: null,
})

expectTypeOf(own.event('orderPlaced', { id: 'o1' }).data).toEqualTypeOf<{ id: string; gift: boolean }>()
void run.emit(own.event('orderPlaced', { id: 'o1', gift: true }))
void run.emit({ type: 'custom', name: 'plain', data: 7 })
// @ts-expect-error `id` is a text.
own.event('orderPlaced', { id: 1 })
// @ts-expect-error The event is not declared.
own.event('orderPlced', { id: 'o1' })
// @ts-expect-error The event is not declared.
own.is(event, 'orderPlced')

if (own.is(event, 'orderPlaced')) expectTypeOf(event.data).toEqualTypeOf<{ id: string; gift: boolean }>()
if (own.is(event, 'weighed')) expectTypeOf(event.data).toEqualTypeOf<Record<string, unknown>>()
if (own.is(event, 'noted')) expectTypeOf(event.data).toEqualTypeOf<unknown>()
if (own.is(event)) {
  expectTypeOf(event.name).toEqualTypeOf<'orderPlaced' | 'weighed' | 'noted'>()
  expectTypeOf(event.runId).toEqualTypeOf<string | null>()
  if (event.name === 'orderPlaced') expectTypeOf(event.data.id).toEqualTypeOf<string>()
}

interface Progress {
  readonly done: number
}
const typed = customEvents<{ progress: Progress; ended: null }>()
expectTypeOf(typed.event('progress', { done: 1 }).data).toEqualTypeOf<Progress>()
// @ts-expect-error `done` is missing.
typed.event('progress', {})
if (typed.is(event, 'progress')) expectTypeOf(event.data).toEqualTypeOf<Progress>()
