import type { RunCalls, RunTrace, XEvent } from '@x/interfaces'

/** The record of a run with another trace of it beside: each is told what it takes. The other one gives the trace context. */
export class JoinedTrace implements RunTrace {
  readonly takes: RunTrace['takes']
  readonly takesRecalled: boolean
  readonly skipsParts: NonNullable<RunTrace['skipsParts']>
  readonly propagates: boolean
  readonly calls: RunCalls | undefined
  readonly beside: RunTrace
  readonly takeRequest?: NonNullable<RunTrace['takeRequest']>
  readonly beginOperation?: NonNullable<RunTrace['beginOperation']>
  readonly #record: RunTrace

  constructor(record: RunTrace, beside: RunTrace) {
    this.#record = record
    this.beside = beside
    this.takes = {
      has: (type: XEvent['type']) => record.takes.has(type) || beside.takes.has(type),
    } as RunTrace['takes']
    this.takesRecalled = Boolean(record.takesRecalled) || Boolean(beside.takesRecalled)
    this.skipsParts = beside.skipsParts ? (record.skipsParts ?? false) : false
    this.propagates = beside.propagates
    this.calls = record.calls
    if (record.takeRequest || beside.takeRequest) {
      this.takeRequest = (spanId, messages) => {
        record.takeRequest?.(spanId, messages)
        beside.takeRequest?.(spanId, messages)
      }
    }
    if (beside.beginOperation) this.beginOperation = (operation) => beside.beginOperation!(operation)
  }

  take(event: XEvent): void {
    for (const trace of [this.#record, this.beside]) {
      if (trace.takes.has(event.type) && (!event.recalled || trace.takesRecalled)) trace.take(event)
    }
  }

  contextOf(spanId: string | null): ReturnType<RunTrace['contextOf']> {
    return this.beside.contextOf(spanId)
  }
}
