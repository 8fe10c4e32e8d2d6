import type { BlockingClients } from './core.ts'

/** Asks every client in this thread, also in the blocking face: one that answers with a promise is refused there. */
export function inThisThread(): BlockingClients {
  return { clientFor: (_slot, client) => client }
}
