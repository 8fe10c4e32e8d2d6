import { model } from './model.ts'
// #region program
import { createAgent, type RunResult } from '@x/kit'
import { fromUiMessages, toUiMessageResponse } from '@x/ui'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })

/** The histories of users, here in memory: they are plain JSON, for any store. */
const histories = new Map<string, RunResult['messages']>()

export async function POST(request: Request): Promise<Response> {
  const user = userOf(request)
  const page = await fromUiMessages(await request.json().catch(() => null)).catch(() => null)
  if (!page?.message) return new Response('Send a message.', { status: 400 })
  const run = agent.runStream([...(histories.get(user) ?? []), page.message], { signal: request.signal })
  return toUiMessageResponse(run, { onEnd: async () => void histories.set(user, (await run.result).messages) })
}
// #endregion

/** Stands for the login of a server. */
const userOf = (request: Request): string => request.headers.get('authorization') ?? 'nobody'
