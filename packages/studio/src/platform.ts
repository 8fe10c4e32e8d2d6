/** The time in milliseconds since 1970. */
export const platformNow = (): number => Date.now()

/** A SHA-256 of a text, in hexadecimal digits. */
export async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
