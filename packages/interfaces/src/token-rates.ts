/** Prices in US dollars per 1,000,000 tokens; those that are absent are the same as another. */
export interface TokenRates {
  readonly input: number
  readonly output: number
  /** Input that the provider reads from its cache; default: as `input`. */
  readonly cached?: number | undefined
  /** Input that the provider writes to its cache; default: as `input`. */
  readonly cacheWrite?: number | undefined
  /** Input that is written to the cache for an hour or longer; default: as `cacheWrite`. */
  readonly cacheWriteHour?: number | undefined
  /** Input that is audio; default: as `input`. */
  readonly audioInput?: number | undefined
  /** Audio that the provider reads from its cache; default: as `cached`. */
  readonly cachedAudio?: number | undefined
  /** Output that is audio; default: as `output`. */
  readonly audioOutput?: number | undefined
  /** Input that is an image; default: as `input`. */
  readonly imageInput?: number | undefined
  /** Output that is an image; default: as `output`. */
  readonly imageOutput?: number | undefined
  /** 1,000 searches that the provider runs; default: 0. */
  readonly searches?: number | undefined
}
