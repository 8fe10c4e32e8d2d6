/**
 * Returns headers with those of one request, which win whatever their case; null takes a header away. Names are in lower
 * case, so that none is sent twice.
 */
export function withHeaders(
  headers: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string | null>> | undefined,
): Record<string, string> {
  if (!more) return headers
  const out: Record<string, string> = {}
  for (const [name, value] of [...Object.entries(headers), ...Object.entries(more)]) {
    if (value === null) delete out[name.toLowerCase()]
    else out[name.toLowerCase()] = value
  }
  return out
}
