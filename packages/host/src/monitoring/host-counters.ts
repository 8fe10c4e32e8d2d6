import type { ChatKind, XEvent } from '@x/interfaces'
import type { TurnEnd } from '../run/turn.ts'
import { Counter } from './counter.ts'
import type { Metric } from './exposition.ts'

/** Counts the work of this process, from the turns and events of its chats. */
export class HostCounters {
  readonly #turns = new Counter(
    'hosted_chat_turns_total',
    'Turns of chats in this process, by how they ended: done, failed, cancelled, suspended, released, retry after a failure that passes, refused by the program, lost to another worker.',
    ['chat', 'version', 'end'],
  )
  readonly #takeovers = new Counter(
    'hosted_chat_takeovers_total',
    'Chats that this process has taken over from a worker that did not release them.',
    ['chat', 'version'],
  )
  readonly #errors = new Counter('hosted_worker_errors_total', 'Errors of the worker that ended no chat.')
  readonly #reconnects = new Counter(
    'hosted_worker_reconnects_total',
    'Times that the worker has made its connections again because the store did not answer a renewal.',
  )
  readonly #calls = new Counter(
    'model_calls_total',
    'Calls of models in chats of this process, by result: ok, cached, aborted, or the kind of failure.',
    ['model', 'result'],
  )
  readonly #tokens = new Counter(
    'model_tokens_total',
    'Tokens that calls of models have used, without cached answers.',
    ['model', 'direction'],
  )
  readonly #cost = new Counter('model_cost_dollars_total', 'US dollars that calls of models have cost.', ['model'])

  get metrics(): readonly Metric[] {
    const own = [this.#turns, this.#takeovers, this.#errors, this.#reconnects]
    return [...own, this.#calls, this.#tokens, this.#cost].map(({ metric }) => metric)
  }

  /** Adds, with value 0, the counters of a worker's programs that alarms watch. */
  begin(chats: readonly ChatKind[]): void {
    this.#errors.begin({})
    this.#reconnects.begin({})
    for (const { name: chat, version } of chats) {
      this.#turns.begin({ chat, version, end: 'failed' })
      this.#takeovers.begin({ chat, version })
    }
  }

  countTurn({ name, version }: ChatKind, end: TurnEnd['how']): void {
    this.#turns.add({ chat: name, version, end })
  }

  countTakeover({ name, version }: ChatKind): void {
    this.#takeovers.add({ chat: name, version })
  }

  countError(): void {
    this.#errors.add({})
  }

  countReconnect(): void {
    this.#reconnects.add({})
  }

  /** Counts a call of a model. Replayed answers send no such event: the earlier worker has counted them. */
  countCall(event: XEvent): void {
    if (event.type !== 'modelAttemptEnd') return
    const { outcome, cached, kind, usage, cost } = event
    const model = event.model ?? ''
    this.#calls.add({ model, result: outcome === 'ok' ? (cached ? 'cached' : 'ok') : (kind ?? outcome) })
    if (cached || !usage) return
    this.#tokens.add({ model, direction: 'input' }, usage.promptTokens)
    this.#tokens.add({ model, direction: 'output' }, usage.completionTokens)
    this.#cost.add({ model }, cost ?? 0)
  }
}
