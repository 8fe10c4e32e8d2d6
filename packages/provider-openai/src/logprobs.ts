import type { AnswerDetails } from '@x/interfaces'
import { isRecord, listOf } from '@x/provider-kit'

type TokenLogprob = NonNullable<AnswerDetails['logprobs']>[number]

/** Returns probabilities of tokens as the endpoint lists them. */
export function logprobsOf(list: unknown): TokenLogprob[] {
  return listOf(list).flatMap((each): TokenLogprob[] => {
    if (!isRecord(each) || typeof each['token'] !== 'string' || typeof each['logprob'] !== 'number') return []
    const { token, logprob, bytes } = each as { token: string; logprob: number; bytes?: unknown }
    const top = logprobsOf(each['top_logprobs'])
    return [
      {
        token,
        logprob,
        ...(Array.isArray(bytes) && { bytes: bytes as number[] }),
        ...(top.length > 0 && { top_logprobs: top }),
      },
    ]
  })
}

/** Returns probabilities in the form of the older endpoint for prompts. */
export function olderLogprobs({
  tokens,
  token_logprobs: values,
  top_logprobs: tops,
}: Record<string, unknown>): TokenLogprob[] {
  return listOf(tokens).flatMap((token, at): TokenLogprob[] => {
    const logprob = listOf(values)[at]
    if (typeof token !== 'string' || typeof logprob !== 'number') return []
    const top = listOf(tops)[at]
    const others = isRecord(top) ? Object.entries(top).map(([other, value]) => ({ token: other, logprob: value })) : []
    return [{ token, logprob, ...(others.length > 0 && { top_logprobs: logprobsOf(others) }) }]
  })
}
