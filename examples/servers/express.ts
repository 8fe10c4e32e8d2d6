import { model } from './model.ts'
// #region program
import { createAgent, type RunResult } from '@x/kit'
import express, { type ErrorRequestHandler } from 'express'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })

/** The histories of users, here in memory: they are plain JSON, for any store. */
const histories = new Map<string, RunResult['messages']>()

export const app = express()
app.use(express.json())

app.post('/chat/:user', async (request, response) => {
  // Take the user from your login: a client may write any name into a path.
  const { user } = request.params
  const { message } = (request.body ?? {}) as { message?: unknown }
  if (typeof message !== 'string' || !message.trim())
    return void response.status(400).json({ error: 'Send a `message`.' })
  const left = new AbortController()
  response.on('close', () => left.abort())
  const earlier = histories.get(user) ?? []
  const run = agent.runStream([...earlier, { role: 'user', content: message }], { signal: left.signal })
  response.type('text')
  for await (const text of run.textStream) response.write(text)
  histories.set(user, (await run.result).messages)
  response.end()
})

// Without it, Express sends the text and the stack of an error.
app.use(((error: { expose?: boolean; status?: number }, _, response, next) => {
  if (response.destroyed) return
  // Express breaks an answer off that has begun: its reader must not take it for the whole.
  if (response.headersSent) return next(error)
  if (!error.expose) console.error(error)
  const status = (error.expose && error.status) || 500
  response.status(status).json({ error: status < 500 ? 'Send a `message` as JSON.' : 'Something went wrong.' })
}) satisfies ErrorRequestHandler)
// #endregion
