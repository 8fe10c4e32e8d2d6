import { model } from './model.ts'
// #region program
import { createAgent } from '@x/kit'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })

export async function POST(request: Request): Promise<Response> {
  const body = (await request.json().catch(() => null)) as { message?: unknown } | null
  // A text alone: who could send a list of messages could speak as the system.
  if (typeof body?.message !== 'string' || !body.message.trim())
    return Response.json({ error: 'Send a `message`.' }, { status: 400 })
  return await agent.runStream(body.message, { signal: request.signal }).toTextResponse()
}
// #endregion
