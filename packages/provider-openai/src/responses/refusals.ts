import type { XError } from '@x/kernel'

/** Tells whether a refusal says that the model has no reasoning to give in sealed form. */
export const isSealedRefused = ({ message }: XError): boolean =>
  /encrypted[ _]content.{0,40} not (?:supported|available)/iu.test(message)

/**
 * Tells whether a refusal is about items that were sent back: reasoning of another account or model, or items that the
 * endpoint does not find, know or take in this order.
 */
export function isOlderReasoning({ status, message, details }: XError): boolean {
  if (status !== undefined && status !== 400 && status !== 404 && status !== 422) return false
  const { code, param } = details ?? {}
  if (code === 'invalid_encrypted_content') return true
  if (/encrypted content|reasoning (?:input )?items?\b|item (?:with id )?'\w+'/iu.test(message)) return true
  return typeof param === 'string' && /^input\[\d+\]/u.test(param) && /unknown parameter|invalid value/iu.test(message)
}
