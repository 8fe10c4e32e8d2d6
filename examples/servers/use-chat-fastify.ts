import { model } from './model.ts'
// #region program
import { createAgent } from '@x/kit'
import { fromUiMessages, toUiMessageResponse } from '@x/ui'
import { fastify } from 'fastify'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })

export const app = fastify({ bodyLimit: 1_000_000 })

app.post('/chat', async (request, reply) => {
  const page = await fromUiMessages(request.body).catch(() => null)
  if (!page?.message) return await reply.code(400).send('Send a message.')
  return await reply.send(toUiMessageResponse(agent.runStream([page.message])))
})
// #endregion
