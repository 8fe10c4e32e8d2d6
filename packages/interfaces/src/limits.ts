/** Numbers and texts that are the same in the Python library. */
export interface Limits {
  /** Consecutive auto replies of an agent to one other. */
  readonly MAX_CONSECUTIVE_AUTO_REPLY: 100
  /** Model of an agent that was given none. */
  readonly DEFAULT_CONFIG: false
  readonly DEFAULT_SUMMARY_METHOD: 'last_msg'
  readonly DEFAULT_SUMMARY_PROMPT: 'Summarize the takeaway from the conversation. Do not add any introductory phrases.'
  /** Seed of the cache when neither a cache nor a seed is given. */
  readonly LEGACY_DEFAULT_CACHE_SEED: 41
}
