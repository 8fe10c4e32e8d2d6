import { model } from './model.ts'
// #region program
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createAgent } from '@x/kit'
import { fromUiMessages, toUiMessageResponse } from '@x/ui'
import express, { type ErrorRequestHandler } from 'express'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })

/** Without it, Express answers a request that it cannot read with the stack of the error. */
const refuse: ErrorRequestHandler = (_error, _request, response, _next) =>
  void response.status(400).end('Send a message.')

export const app = express()
app.use(express.json({ limit: '1mb' }), refuse)

app.post('/chat', async (request, response) => {
  const page = await fromUiMessages(request.body).catch(() => null)
  if (!page?.message) return void response.status(400).end('Send a message.')
  const answer = toUiMessageResponse(agent.runStream([page.message]))
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  await pipeline(Readable.fromWeb(answer.body!), response).catch(() => {}) // A page that goes away stops the run.
})
// #endregion
