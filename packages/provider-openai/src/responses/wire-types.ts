import type { Item } from './own-items.ts'

/** An answer of the Responses API as far as it is read; every field may be missing or of another type. */
export interface WireResponse {
  id?: unknown
  model?: unknown
  created_at?: unknown
  object?: unknown
  status?: unknown
  output?: unknown
  error?: unknown
  incomplete_details?: { reason?: unknown } | null
  usage?: WireUsage | null
}

/** Tokens as the endpoint counts them. */
export interface WireUsage {
  input_tokens?: unknown
  output_tokens?: unknown
  total_tokens?: unknown
  input_tokens_details?: { cached_tokens?: unknown; cache_write_tokens?: unknown } | null
  output_tokens_details?: { reasoning_tokens?: unknown } | null
}

/** One event of a streamed answer, of any type. */
export interface WireEvent {
  type?: unknown
  response?: WireResponse | null
  output_index?: unknown
  item_id?: unknown
  /** Number of the part of a summary. */
  summary_index?: unknown
  item?: Item | null
  delta?: unknown
  error?: unknown
}
