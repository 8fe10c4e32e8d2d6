import type { EventBody, Io, Logger, MaybePromise } from '@x/interfaces'
import { eventOutside } from '@x/kernel/run'
import type { SharedClients } from '../clients/shared-clients.ts'
import type { OwnClients, Slot } from '../config/slot.ts'
import type { LastMessages } from '../request/prepare-request.ts'
import { Ledger } from '../usage/ledger.ts'

/** Source of time and ids. */
export interface ModelRuntime {
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now: () => number
  /** Returns a unique text; default a UUID. */
  readonly newId: () => string
  /** Returns a number from 0 up to 1, for the wait before a request is sent again; default `Math.random`. */
  readonly random: () => number
}

/** The parts that all wrappers of one `llmConfig` share. */
export interface WrapperPlan {
  readonly slots: readonly Slot[]
  readonly shared: SharedClients
  readonly runtime: ModelRuntime
  /** Receives warnings and summaries of a wrapper without an `io`. */
  readonly console: Io
}

/** Most warnings that a wrapper remembers, so that texts with parts of answers do not fill the memory. */
const MAX_WARNINGS = 1000

/** Usage and warnings of a wrapper's calls. A wrapper that replaces another continues with its memory. */
export class CallMemory implements LastMessages {
  #ledger: Ledger | null = null
  #warnings: Set<string> | null = null
  /** Models whose missing price was told. */
  #unpriced: Set<string> | null = null
  /** The messages of the last request, if they are many. */
  lastMessages: LastMessages['lastMessages'] = null

  /** The answered calls; null before the first. */
  get ledger(): Ledger | null {
    return this.#ledger
  }

  /** Returns the ledger, and makes it at the first call. */
  openLedger(): Ledger {
    return (this.#ledger ??= new Ledger())
  }

  /** Tells whether the missing price of a model was not told yet: the text of the warning is made only then. */
  isNewUnpriced(model: string): boolean {
    if (this.#unpriced?.has(model)) return false
    ;(this.#unpriced ??= new Set()).add(model)
    return true
  }

  /** Tells whether a warning is new, and remembers it; past `MAX_WARNINGS` the oldest is forgotten. */
  isNewWarning(text: string): boolean {
    const warnings = (this.#warnings ??= new Set())
    if (warnings.has(text)) return false
    if (warnings.size === MAX_WARNINGS) warnings.delete(warnings.keys().next().value!)
    warnings.add(text)
    return true
  }
}

/**
 * The state of a wrapper, which its methods and the steps of its calls share. Each agent makes a wrapper, so before its first
 * call a wrapper holds little more than references to shared parts.
 */
export interface WrapperParts {
  readonly wrapperId: number
  readonly plan: WrapperPlan
  readonly memory: CallMemory
  readonly io: Io
  readonly logger: Logger | null
  /** Instances of the caller's client classes, by slot; null until the first is registered. */
  own: OwnClients | null
}

/** Sends an event outside of runs to the `io` of a wrapper. */
export const sendToIo = ({ io, plan }: WrapperParts, event: EventBody): MaybePromise<void> =>
  io.send(eventOutside(event, plan.runtime.now()))
