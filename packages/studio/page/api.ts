import type { ChatLine, ForkRequest, RunFuture, RunList, RunRows, StepDetail, StudioInfo } from '../src/protocol.ts'
import type { KeptRunInfo } from '@x/records'

/** A request that was refused; its message is for the person. */
class RefusedRequest extends Error {}

/** Rejects with words for the person if the studio is gone, and with the error itself if the page has stopped asking. */
const orGone = async <T>(asked: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> =>
  await asked.catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    throw new RefusedRequest('The studio does not answer. Start it again, and this page goes on.', { cause })
  })

/** Asks the studio; what it refuses is an error for the person. */
async function answerOf(path: string, init: RequestInit): Promise<Response> {
  const response = await orGone(fetch(`api/${path}`, init), init.signal)
  if (response.ok) return response
  const body = (await response.json().catch(() => null)) as { readonly error?: string } | null
  throw new RefusedRequest(body?.error ?? `The studio has answered ${response.status}.`)
}

const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> =>
  (await (await answerOf(path, init)).json()) as T

const post = (body: object, signal?: AbortSignal): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-studio': '1' },
  body: JSON.stringify(body),
  ...(signal && { signal }),
})

const idIn = (text: string): string => encodeURIComponent(text)

/** What the list of runs is to show. */
export interface ListFilter {
  readonly words: string
  readonly outcome: string
  readonly agent: string
  readonly tag: string
  readonly limit: number
}

/** The requests of the page. */
export const api = {
  info: async (): Promise<StudioInfo> => await ask('info'),
  runs: async (filter: ListFilter, signal: AbortSignal): Promise<RunList> => {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(filter)) if (value !== '') query.set(name, String(value))
    return await ask(`runs?${query.toString()}`, { signal })
  },
  rows: async (runId: string, since: number, signal: AbortSignal): Promise<RunRows> =>
    await ask(`runs/${idIn(runId)}/rows?since=${since}`, { signal }),
  forks: async (runId: string): Promise<readonly KeptRunInfo[]> => await ask(`runs/${idIn(runId)}/forks`),
  step: async (runId: string, id: string, signal: AbortSignal): Promise<StepDetail> =>
    await ask(`runs/${idIn(runId)}/step?id=${idIn(id)}`, { signal }),
  wholeStep: async (runId: string, id: string): Promise<StepDetail> =>
    await ask(`runs/${idIn(runId)}/step?id=${idIn(id)}&whole=1`),
  futures: async (runIds: readonly string[]): Promise<readonly RunFuture[]> =>
    await ask(`futures?${runIds.map((runId) => `run=${idIn(runId)}`).join('&')}`),
  fork: async (
    runId: string,
    request: ForkRequest,
  ): Promise<{ readonly runs: readonly string[]; readonly errors: readonly string[] }> =>
    await ask(`runs/${idIn(runId)}/fork`, post(request)),
  label: async (
    runId: string,
    label: { readonly name: string; readonly value: unknown; readonly place?: string },
  ): Promise<void> => await ask(`runs/${idIn(runId)}/label`, post(label)),
  decide: async (
    runId: string,
    decision: {
      readonly pending: string
      readonly allow: boolean
      readonly reason?: string
      readonly answer?: string
    },
  ): Promise<void> => await ask(`runs/${idIn(runId)}/decide`, post(decision)),
  chat: async function* (
    agent: string,
    message: { readonly chat: string; readonly text: string },
    signal: AbortSignal,
  ): AsyncGenerator<ChatLine> {
    const response = await answerOf(`chats/${idIn(agent)}`, post(message, signal))
    let rest = ''
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await orGone(reader.read(), signal)
      if (done) return
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line) as ChatLine
    }
  },
}
