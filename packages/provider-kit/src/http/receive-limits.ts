import type { ClientOptions } from '@x/interfaces'
import type { XError } from '@x/kernel'
import { modelFailure } from '../failure/model-failure.ts'

/** Most bytes that are received, counted after decompression. A config entry has them. */
export type ReceiveLimits = Pick<ClientOptions, 'maxErrorBytes' | 'maxEventBytes' | 'maxBodyBytes'>

const DEFAULTS = { maxErrorBytes: 64 * 1024, maxEventBytes: 16 * 1024 ** 2, maxBodyBytes: 64 * 1024 ** 2 }

/** Returns a limit, or its default. */
export function limitOf(limits: ReceiveLimits, name: keyof ReceiveLimits): number {
  return limits[name] ?? DEFAULTS[name]
}

/** Makes the failure of an answer that is longer than a limit. */
export function tooLong(what: string, name: keyof ReceiveLimits, most: number): XError {
  return modelFailure('server', `${what} is longer than ${most} bytes: raise \`${name}\` if that is right`)
}
