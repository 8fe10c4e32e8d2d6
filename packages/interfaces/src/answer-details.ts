/** A place of an answer's text that says where it is from. */
export interface Citation {
  /** First character of the place in the text of the message, as an index; absent where the provider did not say. */
  start?: number | undefined
  /** Index behind the last character of the place. */
  end?: number | undefined
  /** Address of the source. */
  url?: string | undefined
  title?: string | undefined
  /** Identifier of the file that is cited, at the provider. */
  file_id?: string | undefined
  /** Text of the source that the place refers to. */
  quote?: string | undefined
  /** The citation as the provider sent it. */
  raw: object
}

/** A page, a file or a search that an answer draws on. */
export interface AnswerSource {
  type: 'url' | 'file' | 'search' | (string & {})
  /** Address of a page. */
  url?: string | undefined
  title?: string | undefined
  /** Identifier of a file at the provider. */
  file_id?: string | undefined
  /** Text of the source, or the words of a search. */
  text?: string | undefined
}

/** An image, a sound or a file that the model made. */
export interface AnswerMedia {
  type: 'image' | 'audio' | 'video' | 'file'
  /** Address, or the bytes as a `data:` URL; absent where the provider keeps them under an `id`. */
  url?: string | undefined
  /** Media type, such as `image/png`. */
  media_type?: string | undefined
  /** Identifier at the provider. */
  id?: string | undefined
  /** Words of a sound. */
  transcript?: string | undefined
  /** Number of characters of the message's text before it. */
  at: number
}

/** Probability of a token, as a natural logarithm. */
export interface TokenLogprob {
  token: string
  logprob: number
  /** Bytes of the token in UTF-8. */
  bytes?: readonly number[] | undefined
  /** The most probable tokens in its place. */
  top_logprobs?: readonly TokenLogprob[] | undefined
}

/** How an answer ended, where the provider says more than `finish_reason`. */
export interface FinishDetails {
  /** The provider's own word, where `finish_reason` says less. */
  reason?: string | undefined
  /** Explanation in words. */
  message?: string | undefined
  /** Text that ended the answer, one of `stop`. */
  stop?: string | undefined
  /** Findings of the provider's filters, as it sent them. */
  safety?: unknown
  /** Further facts, as the provider sent them. */
  raw?: unknown
}

/** The parts of an answer beside its message, in one form for all providers; each is there only if the provider sent it. */
export interface AnswerDetails {
  /** Reasoning that may be read, or its summary. Its sealed form is in `provider_metadata` of the message. */
  reasoning?: string | undefined
  citations?: readonly Citation[] | undefined
  /** Pages, files and searches that the answer draws on. */
  sources?: readonly AnswerSource[] | undefined
  /** Images, sounds and files that the model made. */
  media?: readonly AnswerMedia[] | undefined
  logprobs?: readonly TokenLogprob[] | undefined
  finish_details?: FinishDetails | undefined
  /** Parts without a place in the message, such as uses of the provider's own tools, as the provider sent them. */
  provider_parts?: readonly object[] | undefined
  /** Fields without a place here, as the provider sent them. */
  extra?: Readonly<Record<string, unknown>> | undefined
}
