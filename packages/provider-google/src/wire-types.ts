/** The fields of a part of a content that are read. */
export interface WirePart {
  text?: string | null
  /** Whether the text is reasoning. */
  thought?: boolean | null
  /** Signature of the part. */
  thoughtSignature?: string | null
  functionCall?: WireCall | null
  [key: string]: unknown
}

/** A call as the provider gives it. */
export interface WireCall {
  id?: string | null
  name?: string | null
  args?: unknown
  /** Pieces of the arguments, each with its place. */
  partialArgs?: WirePartialArg[] | null
  willContinue?: boolean | null
}

/** A piece of the arguments of a call, with its place. */
export interface WirePartialArg {
  jsonPath?: string | null
  stringValue?: string
  numberValue?: number
  boolValue?: boolean
  nullValue?: unknown
  willContinue?: boolean | null
}

/** Counts as the provider gives them. */
export interface WireUsage {
  promptTokenCount?: number
  candidatesTokenCount?: number
  thoughtsTokenCount?: number
  cachedContentTokenCount?: number
  toolUsePromptTokenCount?: number
  totalTokenCount?: number
  serviceTier?: string | null
  trafficType?: string | null
  [key: string]: unknown
}

/** The fields of an answer, or of a chunk of one, that are read; every field may be missing. */
export interface WireAnswer {
  candidates?: (WireCandidate | null)[] | null
  promptFeedback?: { blockReason?: string | null; blockReasonMessage?: string | null } | null
  usageMetadata?: WireUsage | null
  modelVersion?: string | null
  responseId?: string | null
  error?: unknown
  [key: string]: unknown
}

/** One alternative of an answer. */
export interface WireCandidate {
  index?: number | null
  content?: { parts?: (WirePart | null)[] | null } | null
  finishReason?: string | null
  finishMessage?: string | null
  groundingMetadata?: unknown
}
