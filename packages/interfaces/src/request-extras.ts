/** Options of a request beside its parameters; adapters read them, and they are no part of the parameters that are sent. */
export interface RequestExtras {
  /** Fields of the body as the provider takes it; they win over those that an adapter makes. */
  extra_body?: Readonly<Record<string, unknown>> | null | undefined
  /** HTTP headers of this request; they win over `defaultHeaders`, and null takes one away. */
  extra_headers?: Readonly<Record<string, string | null>> | null | undefined
  /** Whether the answer has `raw`: the body as the provider sent it. Default false. */
  includeRaw?: boolean | null | undefined
  /** Request parameters for one provider alone, by its name; they win over the others and are never left out. */
  providerOptions?: { readonly [provider: string]: Readonly<Record<string, unknown>> | undefined } | null | undefined
}
