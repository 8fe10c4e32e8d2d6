import { model } from './model.ts'
// #region program
import { createAgent } from '@x/kit'
import { Hono } from 'hono'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })

export const app = new Hono()

app.post('/chat', async (context) => {
  const body = (await context.req.json().catch(() => null)) as { message?: unknown } | null
  // A text alone: who could send a list of messages could speak as the system.
  if (typeof body?.message !== 'string' || !body.message.trim())
    return context.json({ error: 'Send a `message`.' }, 400)
  return await agent.runStream(body.message, { signal: context.req.raw.signal }).toTextResponse()
})
// #endregion
