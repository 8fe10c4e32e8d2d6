import type { EventOrigin, ModelEvent, RunScope } from '@x/interfaces'

/** An event of a streamed answer, with who asked and where; null outside of agents and chats. */
export type PlacedModelEvent = ModelEvent & EventOrigin & { agent: string | null }

/** The scope of a stream of its own: it gives the events of the answer their origin. */
export function streamScope(around: RunScope | undefined, agent: string | null): RunScope {
  const { chatId = null, agentPath = null, budget = null, cache = null } = around ?? {}
  return {
    chatId,
    agentPath,
    budget,
    cache,
    spanId: null,
    callKind: null,
    newSpanId: () => '',
    takes: () => true,
    now: () => 0,
    send: (event, next) => next({ ...event, agent, chatId, agentPath } as never),
  }
}
