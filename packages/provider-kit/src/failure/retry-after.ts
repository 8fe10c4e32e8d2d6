/** Reads how long a provider asks to wait, in milliseconds, from `retry-after-ms` or `retry-after` (seconds or a date). */
export function retryAfterMs(headers: { get(name: string): string | null }, now: () => number): number | undefined {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '')
  if (Number.isFinite(ms) && ms >= 0) return ms
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  const seconds = Number(text)
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now())
}
