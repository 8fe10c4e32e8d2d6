/** Tokens of a request, as the provider counts them before it answers. */
export interface TokenCount {
  /** Input tokens: messages, tools and everything that is sent with them. */
  readonly promptTokens: number
  /** Model whose tokens they are. */
  readonly model: string
  /** Index of the config that counted. */
  readonly configId: number
}
