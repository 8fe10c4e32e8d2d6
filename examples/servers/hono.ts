import { model } from './model.ts'
// #region program
import { createAgent } from '@x/kit'
import { Hono } from 'hono'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })

export const app = new Hono()

app.post('/chat', async (context) => {
  const { message } = await context.req.json<{ message: string }>()
  return agent.runStream(message, { signal: context.req.raw.signal }).toTextResponse()
})
// #endregion
