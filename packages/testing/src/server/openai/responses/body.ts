import type { ServerUsage } from '../../reply.ts'

/** One item of an answer of the Responses API. */
export type OutputItem = Readonly<Record<string, unknown>> & { readonly type: string }

/** An answer of the Responses API with all defaults filled in. */
export interface ResponsesReply {
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  readonly model: string
  readonly output: readonly OutputItem[]
  /** Reason why the answer is incomplete. */
  readonly incomplete?: string | undefined
  readonly usage: ServerUsage | null
}

/** Parts of an answer from which its items are made. */
export interface ResponsesContent {
  /** Number in the ids of the items. */
  readonly index: number
  readonly text?: string | undefined
  readonly refusal?: string | undefined
  /** Summary of the reasoning, and its sealed form if it was asked for. */
  readonly reasoning?: { readonly text: string; readonly sealed: string | undefined } | undefined
  /** Items before the text, such as uses of the provider's own tools. */
  readonly items?: readonly OutputItem[] | undefined
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[] | undefined
}

/** Builds the items of an answer. An item after reasoning has the id of the reasoning in its own: the API accepts only both together. */
export function outputItems({
  index,
  text,
  refusal,
  reasoning,
  items = [],
  calls = [],
}: ResponsesContent): OutputItem[] {
  const after = reasoning ? `_after_rs_${index}` : ''
  const content = [
    ...(text ? [{ type: 'output_text', text, annotations: [], logprobs: [] }] : []),
    ...(refusal ? [{ type: 'refusal', refusal }] : []),
  ]
  return [
    ...(reasoning
      ? [
          {
            id: `rs_${index}`,
            type: 'reasoning',
            ...(reasoning.sealed !== undefined && { encrypted_content: reasoning.sealed }),
            summary: reasoning.text === '' ? [] : [{ type: 'summary_text', text: reasoning.text }],
          },
        ]
      : []),
    ...items,
    ...(content.length > 0
      ? [{ id: `msg_${index}${after}`, type: 'message', status: 'completed', role: 'assistant', content }]
      : []),
    ...calls.map((call, n) => ({
      id: `fc_${index}_${n}${after}`,
      type: 'function_call',
      status: 'completed',
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
    })),
  ]
}

/** Builds the body of a complete answer. */
export function responsesBody({ id, created, model, output, incomplete, usage }: ResponsesReply): object {
  return {
    ...facts({ id, created, model }),
    status: incomplete === undefined ? 'completed' : 'incomplete',
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    output,
    usage: usage && wireUsage(usage),
  }
}

/** Builds the body of an answer that has only begun, or has failed. */
export function unfinishedBody(
  reply: ResponsesReply,
  error?: { readonly code: string; readonly message: string },
): object {
  return { ...facts(reply), status: error ? 'failed' : 'in_progress', error: error ?? null, output: [], usage: null }
}

const facts = ({ id, created, model }: Pick<ResponsesReply, 'id' | 'created' | 'model'>): object => ({
  id,
  object: 'response',
  created_at: created,
  model,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  store: false,
  service_tier: 'default',
})

function wireUsage({ prompt, completion, cached = 0, reasoning = 0 }: ServerUsage): object {
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: completion,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: prompt + completion,
  }
}
