import type { Face, ModelAnswer, ModelEvent } from '@x/interfaces'
import { face, isThenable, wait, type Steps } from '@x/kernel'
import type { Script, ScriptedCall } from './script.ts'

/** Plays the reply to one request: whole, or as events in the streaming face; `finish` makes the result of the answer. */
export function* respond<R>(
  script: Script,
  callIn: (face: Face) => ScriptedCall,
  finish: (answer: ModelAnswer, cost: number | null) => R,
): Steps<R, ModelEvent> {
  const run = yield* face()
  const turn = yield* wait(script.take(callIn(run.face)), 'a delayed reply of the scripted model')
  for (const item of turn.items) {
    if (isThenable(item)) yield* wait(item, 'a pause in a scripted stream')
    else if (run.face === 'stream') yield item
  }
  return finish(turn.end(), turn.cost)
}
