import type { HistoryCutReport } from '@x/interfaces'

/** Says in a line what a cut of a history has left out. */
export function cutText(event: HistoryCutReport & { readonly agent: string }): string {
  const { agent, leftOut, summarized, cleared, shortened, tokensBefore, tokensAfter, reason } = event
  const parts = [
    ...(summarized > 0 ? [`${summarized} messages summed up`] : []),
    ...(leftOut > summarized ? [`${leftOut - summarized} left out`] : []),
    ...(cleared > 0 ? [`${cleared} cleared`] : []),
    ...(shortened > 0 ? [`${shortened} shortened`] : []),
  ]
  const why = reason === 'overflow' ? ', since the provider refused more' : ''
  return `the history of ${agent} was cut: ${parts.join(', ')} (about ${tokensBefore} tokens before, ${tokensAfter} after${why})`
}
