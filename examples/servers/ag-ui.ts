import { model } from './model.ts'
// #region program
import { createAgent, type RunResult } from '@x/kit'
import { fromAgUi, toAgUiResponse } from '@x/ui'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })

/** The histories of users, kept in memory here: they are plain JSON, for any store. */
const kept = new Map<string, RunResult['messages']>()

export async function POST(request: Request): Promise<Response> {
  const user = userOf(request)
  const page = await fromAgUi(await request.json().catch(() => null)).catch(() => null)
  if (!page?.message) return new Response('Send a message.', { status: 400 })
  const run = agent.runStream([...(kept.get(user) ?? []), page.message], { signal: request.signal })
  return toAgUiResponse(run, { input: page.input, onEnd: async () => void kept.set(user, (await run.result).messages) })
}
// #endregion

/** Stands for the login of a server. */
const userOf = (request: Request): string => request.headers.get('authorization') ?? 'nobody'
