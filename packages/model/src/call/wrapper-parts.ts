import type { Io, Logger, ModelClient } from '@x/interfaces'
import { blockingClient } from '../clients/blocking.ts'
import type { SharedClients } from '../clients/shared-clients.ts'
import type { Ledger } from '../usage/ledger.ts'
import type { OwnClients, Slot } from '../config/slot.ts'

/** Where time and identifiers come from. */
export interface ModelRuntime {
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now: () => number
  /** A text that no other call gives; default a UUID. */
  readonly newId: () => string
}

/** What a wrapper is made of; its doors and their steps share it. */
export interface WrapperParts {
  readonly wrapperId: number
  readonly slots: readonly Slot[]
  /** Clients of one's own classes, by slot. */
  readonly own: OwnClients
  readonly shared: SharedClients
  readonly ledger: Ledger
  /** Warnings that were said already. */
  readonly sentWarnings: Set<string>
  readonly io: Io
  readonly logger: Logger | null
  readonly runtime: ModelRuntime
}

/** Gives the client of a slot. It exists: `create` refuses placeholders before. */
export function clientOf(parts: WrapperParts, slot: Slot): ModelClient {
  return parts.own[slot.index] ?? parts.shared.clientFor(slot.provider!, slot.client)
}

/**
 * Gives what answers for a slot in the blocking face: a provider that another thread can import is asked there, any other
 * client in this one, where a promise is refused.
 */
export function blockingClientOf(parts: WrapperParts, { index, provider, client }: Slot): Pick<ModelClient, 'create'> {
  if (parts.own[index] || !provider?.module) return clientOf(parts, parts.slots[index]!)
  return blockingClient(provider.module, client)
}
