import type { ModelErrorKind } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'

/** What a failure leads to: the next config, or an end at once. */
export type FailoverStep = 'next' | 'stop'

/** What each kind of failure leads to by default (design: failover by kind, for every provider). */
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

/** A failure of a model, told from any other error by its kind. */
export type ModelFailure = XError & { readonly kind: ModelErrorKind }

/** Tells a failure of a model from anything else that may be thrown. */
export function isModelFailure(error: unknown): error is ModelFailure {
  return isXError(error) && error.kind !== undefined && Object.hasOwn(FAILOVER, error.kind)
}

/** Decides what a failure leads to; an abort by the caller always ends the call. */
export function failoverStep(
  kind: ModelErrorKind,
  overrides: Partial<Record<ModelErrorKind, FailoverStep>> | undefined,
): FailoverStep {
  if (kind === 'aborted') return 'stop'
  return overrides?.[kind] ?? FAILOVER[kind]
}
