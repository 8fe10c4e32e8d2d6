/** Counts that an answer's usage has by itself. */
const READ: ReadonlySet<string> = new Set(
  `prompt_tokens completion_tokens input_tokens output_tokens total_tokens cached_tokens cache_write_tokens
  reasoning_tokens prompt_cache_hit_tokens prompt_cache_miss_tokens`.split(/\s+/u),
)

/** Returns what an endpoint said of its usage, if it says more than the counts that every answer has. */
export const rawUsage = (usage: object): object | undefined => (saysMore(usage) ? usage : undefined)

function saysMore(counts: object): boolean {
  for (const key in counts) {
    const value = (counts as Readonly<Record<string, unknown>>)[key]
    if (value && (typeof value === 'object' ? saysMore(value) : !READ.has(key))) return true
  }
  return false
}
