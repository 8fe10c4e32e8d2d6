import { model } from './model.ts'
// #region program
import { createAgent, type RunResult } from '@x/kit'
import express from 'express'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })

/** The histories of users, here in memory: they are plain JSON, for any store. */
const histories = new Map<string, RunResult['messages']>()

export const app = express()
app.use(express.json())

app.post('/chat/:user', async (request, response) => {
  const { user } = request.params
  const { message } = request.body as { message: string }
  const left = new AbortController()
  response.on('close', () => left.abort())
  const earlier = histories.get(user) ?? []
  const run = agent.runStream([...earlier, { role: 'user', content: message }], { signal: left.signal })
  for await (const text of run.textStream) response.write(text)
  histories.set(user, (await run.result).messages)
  response.end()
})
// #endregion
