/** Abilities of a model, as far as requests depend on them. */
export interface OpenAIModelFamily {
  /** Whether the model reasons: other parameters, `developer` instead of `system`. */
  readonly reasoning: boolean
  /** Role of system messages; `user` where the model takes neither of the others. */
  readonly systemRole: 'system' | 'developer' | 'user'
  /** Whether the model takes `stop` while it reasons. */
  readonly stop: boolean
  /** Whether sampling parameters are allowed with `reasoning_effort: 'none'`. */
  readonly samplingWithoutEffort: boolean
  /** Whether the model takes `reasoning_effort`. */
  readonly effort: boolean
  /** Tiers of service beyond the usual ones; null if unknown. */
  readonly tiers: readonly string[] | null
  /** Whether the model takes a temperature. */
  readonly temperature: boolean
  /** Whether the model is known to support structured output by a JSON Schema. */
  readonly structured: boolean
}

/**
 * Tells the family of a model by its name: newer names of a known family count as its newest, names of other makers as
 * plain. Deployment names say nothing, so `reasoningModel` in the config wins.
 */
export function familyOf(model: string, reasoningModel: boolean | undefined): OpenAIModelFamily {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const gpt = /^gpt-(\d+)(?:[.-](\d{1,2})(?!\d))?/u.exec(name)
  const major = Number(gpt?.[1] ?? 0)
  const chat = /-chat(?:-|$)/u.test(name)
  const reasoning = reasoningModel ?? (/^o\d/u.test(name) || name.startsWith('codex-') || (major >= 5 && !chat))
  // The first reasoning models know neither role nor effort.
  const isFirst = /^o1-(?:mini|preview)/u.test(name)
  return {
    reasoning,
    systemRole: isFirst ? 'user' : reasoning ? 'developer' : 'system',
    stop: !reasoning || /^o(?:1(?!-mini|-preview)|3-mini)/u.test(name),
    tiers: gpt || /^o\d/u.test(name) ? tiersOf(name, major, chat) : null,
    effort: !isFirst && (reasoning || gpt === null),
    samplingWithoutEffort: reasoning && (major > 5 || (major === 5 && Number(gpt?.[2] ?? 0) >= 1)),
    temperature: !/-search-(?:preview|api)/u.test(name),
    structured: isStructured(name, major),
  }
}

/** Tells models with structured output: since gpt-4o of August 2024 and those that reason, but not those for audio, search or chat. */
function isStructured(name: string, major: number): boolean {
  if (/-(?:audio|realtime|search|chat|transcribe|tts|image)(?:-|$)/u.test(name)) return false
  if (/^gpt-4(?:o|[.-][15](?!\d))/u.test(name)) return !name.endsWith('-2024-05-13')
  return major >= 5 || /^o(?:1(?!-mini|-preview)|[3-9])(?:-|$)/u.test(name)
}

/** Returns tiers by OpenAI's list of prices: `flex` for reasoning models since o3, `priority` for those and GPT-4. */
function tiersOf(name: string, major: number, chat: boolean): readonly string[] {
  const newer = /^o(?:3(?!-mini)|4)/u.test(name) || (major >= 5 && !chat)
  return [...(newer ? ['flex'] : []), ...((newer || major === 4) && !name.includes('nano') ? ['priority'] : [])]
}
