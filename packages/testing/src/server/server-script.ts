import type { MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { ServerReply, ServerScript } from './reply.ts'

/** Behaviour of a fake server after the last reply of a list. */
export type WhenEmpty = 'fail' | 'repeat-last' | 'cycle'

/** Replies of a fake server. */
export interface ScriptedReplies<R> {
  /** Replies for models without their own: one for all requests, a list used in order, or a function. */
  readonly replies?: ServerScript<R> | undefined
  /** Replies by the name of the requested model. */
  readonly models?: Readonly<Record<string, ServerScript<R>>> | undefined
  /** Behaviour after the last reply of a list; default `fail`. `cycle` with a failure and an answer makes a server that flaps. */
  readonly whenEmpty?: WhenEmpty | undefined
}

/** The replies of a fake server, in order. */
export interface ReplyQueue<R> {
  /** The reply for a request to a model. */
  next(model: string | undefined, request: R): MaybePromise<ServerReply>
  /** Fails with `invalid-state` when a reply was not used or a request found none. */
  assertComplete(): void
}

/** Makes the queues of a script; `fallback` answers if there is no script. */
export function queueReplies<R>(
  { replies, models = {}, whenEmpty = 'fail' }: ScriptedReplies<R>,
  fallback: (request: R) => ServerReply,
): ReplyQueue<R> {
  const queues = new Map<string, Queue<R>>()
  for (const [model, script] of Object.entries(models))
    queues.set(model, { name: `model \`${model}\``, script, requests: 0 })
  const rest: Queue<R> = { name: 'the server', script: replies ?? fallback, requests: 0 }

  return {
    next(model, request) {
      const queue = (model === undefined ? undefined : queues.get(model)) ?? rest
      const turn = queue.requests++
      const { script } = queue
      if (typeof script === 'function') return script(request)
      if (!isQueue(script)) return script
      const reply = script[turn] ?? (whenEmpty === 'cycle' ? script[turn % script.length] : undefined)
      const answer = reply ?? (whenEmpty === 'repeat-last' ? script.at(-1) : undefined)
      if (answer !== undefined) return answer
      throw new XError('invalid-state', describeExcess(queue, script.length))
    },
    assertComplete() {
      for (const queue of [...queues.values(), rest]) {
        if (!isQueue(queue.script)) continue
        const { length } = queue.script
        if (queue.requests < length) {
          throw new XError(
            'invalid-state',
            `${length - queue.requests} of ${length} replies of ${queue.name} were never asked for: remove them, or find out why there was no request`,
          )
        }
        if (queue.requests > length && whenEmpty === 'fail')
          throw new XError('invalid-state', describeExcess(queue, length))
      }
    },
  }
}

interface Queue<R> {
  readonly name: string
  readonly script: ServerScript<R>
  requests: number
}

const isQueue = <R>(script: ServerScript<R>): script is readonly ServerReply[] => Array.isArray(script)

const describeExcess = <R>({ name, requests }: Queue<R>, length: number): string =>
  `${name} was asked ${requests} times and has ${length} replies: add one, or set \`whenEmpty\``
