import type { ModelResponse, SpanEvent } from '@x/interfaces'
export function callOutcome(
  response: ModelResponse | null,
): Omit<
  Extract<SpanEvent, { type: 'modelCallEnd' }>,
  'type' | 'agent' | 'id' | 'parentId' | 'ms' | 'outcome' | 'error'
> {
  return {
    message: null,
    details: null,
    model: response?.model ?? null,
    configId: null,
    finishReason: null,
    cached: false,
    usage: null,
    cost: null,
  }
}
