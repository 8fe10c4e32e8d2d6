import { model } from './model.ts'
// #region program
import { createAgent, type RunResult } from '@x/kit'
import { fromUiMessages, RunBuffer, toUiMessageResponse } from '@x/ui'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })
const histories = new Map<string, RunResult['messages']>()
const runs = new RunBuffer()

export async function POST(request: Request): Promise<Response> {
  const user = userOf(request)
  const page = await fromUiMessages(await request.json().catch(() => null)).catch(() => null)
  if (!page?.message) return new Response('Send a message.', { status: 400 })
  const run = agent.runStream([...(histories.get(user) ?? []), page.message])
  const onEnd = async (): Promise<void> => void histories.set(user, (await run.result).messages)
  return toUiMessageResponse(runs.keep(user, run, { onEnd }))
}

/** For `useChat({ resume: true })`, which asks for `/api/chat/:id/stream`. */
export function GET(request: Request): Response {
  const events = runs.events(userOf(request))
  return events ? toUiMessageResponse(events) : new Response(null, { status: 204 })
}

/** For a button that stops the answer: the page that goes away does not. */
export function DELETE(request: Request): Response {
  runs.stop(userOf(request))
  return new Response(null, { status: 204 })
}
// #endregion

/** Stands for the login of a server. */
const userOf = (request: Request): string => request.headers.get('authorization') ?? 'nobody'
