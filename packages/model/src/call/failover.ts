import type { ModelErrorKind } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'

/** The reaction to a failure: try the next config, or end the call. */
export type FailoverStep = 'next' | 'stop'

/** The default reaction to each kind of failure. */
const FAILOVER: Readonly<Record<ModelErrorKind, FailoverStep>> = {
  timeout: 'next',
  'rate-limit': 'next',
  quota: 'next',
  overloaded: 'next',
  server: 'next',
  connection: 'next',
  auth: 'next',
  'not-found': 'next',
  'invalid-request': 'next',
  'context-overflow': 'next',
  truncated: 'next',
  'content-filter': 'stop',
  aborted: 'stop',
}

/** A failure of a model: an error with a kind. */
export type ModelFailure = XError & { readonly kind: ModelErrorKind }

/** Tells a failure of a model from anything else that may be thrown. */
export function isModelFailure(error: unknown): error is ModelFailure {
  return isXError(error) && error.kind !== undefined && Object.hasOwn(FAILOVER, error.kind)
}

/** Decides the reaction to a failure; an abort by the caller always ends the call. */
export function failoverStep(
  kind: ModelErrorKind,
  overrides: Partial<Record<ModelErrorKind, FailoverStep>> | undefined,
): FailoverStep {
  if (kind === 'aborted') return 'stop'
  return overrides?.[kind] ?? FAILOVER[kind]
}
