/** A content block as the provider takes and gives it. */
export type Block = Record<string, unknown> & { type: string }

/** Counts as the provider gives them; every field may be missing. */
export interface WireUsage {
  input_tokens?: number | null
  output_tokens?: number | null
  cache_creation_input_tokens?: number | null
  cache_read_input_tokens?: number | null
  cache_creation?: { ephemeral_5m_input_tokens?: number | null; ephemeral_1h_input_tokens?: number | null } | null
  output_tokens_details?: { thinking_tokens?: number | null } | null
  server_tool_use?: { web_search_requests?: number | null } | null
  service_tier?: string | null
  /** `fast` where the answer was asked for at a higher price. */
  speed?: string | null
  [key: string]: unknown
}

/** An answer as the provider gives it, as far as it is read. */
export interface WireMessage {
  type?: string
  id?: string | null
  model?: string | null
  content?: (Block | null)[] | null
  stop_reason?: string | null
  stop_details?: { explanation?: string | null } | null
  usage?: WireUsage | null
  /** The messages that the provider removed from the conversation. */
  context_management?: unknown
  error?: unknown
}

/** One event of a streamed answer, as far as it is read. */
export interface WireEvent {
  type?: string
  index?: number
  message?: WireMessage | null
  content_block?: Block | null
  delta?: {
    type?: string
    text?: string | null
    thinking?: string | null
    signature?: string | null
    partial_json?: string | null
    stop_reason?: string | null
    stop_details?: { explanation?: string | null } | null
    citation?: unknown
    /** Of a compaction: its summary, and what comes back with it. */
    content?: string | null
    encrypted_content?: string | null
  } | null
  usage?: WireUsage | null
  /** The messages that the provider removed from the conversation. */
  context_management?: unknown
  error?: unknown
}
