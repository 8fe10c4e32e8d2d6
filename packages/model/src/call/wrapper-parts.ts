import type { Io, Logger, ModelClient } from '@x/interfaces'
import { blockingClient } from '../clients/blocking.ts'
import type { Family } from '../clients/shared-clients.ts'
import type { Ledger } from '../usage/ledger.ts'
import type { OwnClients, Slot } from '../config/slot.ts'

/** Where time and identifiers come from. */
export interface Runtime {
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now: () => number
  /** A text that no other call gives; default a UUID. */
  readonly newId: () => string
}

/** What a wrapper is made of; its doors and their steps share it. */
export interface Core {
  readonly wrapperId: number
  readonly slots: readonly Slot[]
  /** Clients of one's own classes, by slot. */
  readonly own: OwnClients
  readonly family: Family
  readonly ledger: Ledger
  /** Warnings that were said already. */
  readonly spoken: Set<string>
  readonly io: Io
  readonly logger: Logger | null
  readonly runtime: Runtime
}

/** Gives the client of a slot. It exists: `create` refuses placeholders before. */
export function clientOf(core: Core, slot: Slot): ModelClient {
  return core.own[slot.index] ?? core.family.clientFor(slot.provider!, slot.client)
}

/**
 * Gives what answers for a slot in the blocking face: a provider that another thread can import is asked there, any other
 * client in this one, where a promise is refused.
 */
export function blockingClientOf(core: Core, { index, provider, client }: Slot): Pick<ModelClient, 'create'> {
  if (core.own[index] || !provider?.module) return clientOf(core, core.slots[index]!)
  return blockingClient(provider.module, client)
}
