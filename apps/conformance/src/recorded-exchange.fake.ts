import type { ChatMessage, ConfigEntry, ModelAnswer, ModelParams, Provider } from '@x/interfaces'
import { deepFreeze, exchange } from '@x/testing/provider-contract'

const QUESTION: ChatMessage = { role: 'user', content: 'Hi' }

/** A recorded answer of a provider: complete, streamed, or both of the same. */
export interface RecordedAnswer {
  readonly whole?: unknown
  readonly frames?: readonly unknown[] | undefined
}

/** Reads a recorded answer by an adapter, in each of its forms. */
export async function readRecording(
  {
    provider,
    entry,
    params = {},
  }: { provider: Provider; entry: ConfigEntry; params?: Partial<ModelParams> | undefined },
  { whole, frames }: RecordedAnswer,
): Promise<ModelAnswer[]> {
  const request = { model: entry.model!, messages: [QUESTION], ...params }
  const forms = [...(whole === undefined ? [] : [{ whole }]), ...(frames === undefined ? [] : [{ frames }])]
  const answers: ModelAnswer[] = []
  for (const form of forms) {
    const { answer, error } = await exchange(provider, entry, request, deepFreeze(form))
    if (!answer) throw error
    answers.push(answer)
  }
  return answers
}

/** Returns the body of the request behind an answer: the results of its calls, or a further question. */
export async function nextRequest(
  {
    provider,
    entry,
    params = {},
  }: { provider: Provider; entry: ConfigEntry; params?: Partial<ModelParams> | undefined },
  { choices }: ModelAnswer,
  whole: unknown,
): Promise<Record<string, unknown>> {
  const { message } = choices[0]!
  const results = (message.tool_calls ?? []).map(({ id }): ChatMessage => ({
    role: 'tool',
    tool_call_id: id!,
    content: '22 °C',
  }))
  const messages = [QUESTION, message, ...(results.length > 0 ? results : [{ ...QUESTION, content: 'And then?' }])]
  const { body, error } = await exchange(provider, entry, deepFreeze({ model: entry.model!, ...params, messages }), {
    whole,
  })
  if (error) throw error
  return body
}
