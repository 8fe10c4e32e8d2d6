import type { Io, Logger } from '@x/interfaces'
import type { SharedClients } from '../clients/shared-clients.ts'
import type { OwnClients, Slot } from '../config/slot.ts'
import type { SeenMessages } from '../request/seen-messages.ts'
import { Ledger } from '../usage/ledger.ts'

/** Source of time and identifiers. */
export interface ModelRuntime {
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now: () => number
  /** Gives a text that no other call gives; default a UUID. */
  readonly newId: () => string
}

/** All wrappers of one `llmConfig` share this. */
export interface WrapperPlan {
  readonly slots: readonly Slot[]
  readonly shared: SharedClients
  readonly runtime: ModelRuntime
  /** Gets warnings and summaries of a wrapper without an `io`. */
  readonly console: Io
}

/** Usage and warnings of a wrapper's calls; a wrapper that replaces another one goes on with the same memory. */
export class CallMemory implements SeenMessages {
  #ledger: Ledger | null = null
  #warnings: Set<string> | null = null
  /** The messages of the last request, where they are many. */
  seenMessages: SeenMessages['seenMessages'] = null

  /** Every answered call; null before the first. */
  get ledger(): Ledger | null {
    return this.#ledger
  }

  /** The ledger, to write to. */
  openLedger(): Ledger {
    return (this.#ledger ??= new Ledger())
  }

  /** Tells whether a warning is new, and remembers it. */
  isNewWarning(text: string): boolean {
    if (this.#warnings?.has(text)) return false
    ;(this.#warnings ??= new Set()).add(text)
    return true
  }
}

/**
 * All state of a wrapper; its methods and the steps of its calls share it. Agents make a wrapper each, so one that was
 * not called yet holds little more than references to what it shares with others.
 */
export interface WrapperParts {
  readonly wrapperId: number
  readonly plan: WrapperPlan
  readonly memory: CallMemory
  readonly io: Io
  readonly logger: Logger | null
  /** Clients of the caller's own classes, by slot; null until the first is registered. */
  own: OwnClients | null
}
