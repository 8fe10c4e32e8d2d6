import type { Run, EventBody, EventStream, XEvent } from '@x/interfaces'
import { expectTypeOf } from 'vitest'
import { each } from './steps.ts'
import { all, currentRun, pool, runAsync, runStream, runSync, type Steps, wait } from './index.ts'

declare const event: XEvent
declare function answer(): Steps<number>
declare const maybe: number | Promise<number>
declare function takesNumber(value: number): void

// The keyword mistakes that the compiler catches.

export function* yieldForYieldStar(): Steps<void> {
  // @ts-expect-error `yield` of steps where `yield*` was meant: steps are no event
  yield answer()
  // @ts-expect-error the same for a wait
  yield wait(1, 'one')
}

export function* noKeyword(): Steps<number> {
  yield* wait(0, 'zero')
  // @ts-expect-error steps used as their result
  takesNumber(answer())
  // @ts-expect-error a wait used as its value
  takesNumber(wait(1, 'one'))
  // @ts-expect-error steps returned where their result is due
  return answer()
}

export function* yieldStarOfAnEvent(): Steps<void> {
  // @ts-expect-error an event is no steps
  yield* event
}

export async function promiseOfSteps(): Promise<number> {
  // @ts-expect-error steps returned where they should be run
  return answer()
}

// What the faces give.

export function* results(): Steps<void> {
  expectTypeOf(yield* answer()).toEqualTypeOf<number>()
  expectTypeOf(yield* wait(maybe, 'maybe')).toEqualTypeOf<number>()
  expectTypeOf(yield* wait(Promise.resolve('a'), 'a')).toEqualTypeOf<string>()
  expectTypeOf(yield* all([answer(), answer()], 2)).toEqualTypeOf<number[]>()
  expectTypeOf(yield* currentRun()).toEqualTypeOf<Run>()
  expectTypeOf(yield* pool(() => undefined)).toEqualTypeOf<void>()
  yield event
}

declare const source: AsyncGenerator<string, boolean>
expectTypeOf(runSync(each(source, () => event))).toEqualTypeOf<boolean>()
expectTypeOf(runAsync(answer())).toEqualTypeOf<Promise<number>>()
expectTypeOf(runStream(answer())).toEqualTypeOf<EventStream<number, EventBody>>()
