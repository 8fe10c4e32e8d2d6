import { createAgent, openai, tool } from '@x/kit'
import { z } from 'zod'

const orderStatus = tool({
  name: 'order_status',
  description: 'Tells where an order is.',
  parameters: z.object({ order: z.number().int() }),
  execute: ({ order }) => (order === 17 ? 'sent on Monday' : 'not known'),
})

/** All that makes the agent, except its model: a test brings another one. */
export const settings = { name: 'shop', instructions: 'You help customers. Be brief.', tools: orderStatus }

export const shop = createAgent({ ...settings, model: openai('gpt-5-mini') })
