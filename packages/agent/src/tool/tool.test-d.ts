import type { Tool } from '@x/interfaces'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { tool, type ConversableAgent } from '../index.ts'

const book = tool({
  name: 'book',
  description: 'Books a table',
  parameters: z.object({ people: z.number(), name: z.string().optional() }),
  execute: (args) => {
    expectTypeOf(args).toEqualTypeOf<{ people: number; name?: string | undefined }>()
    return args.people
  },
})
expectTypeOf(book).toEqualTypeOf<Tool<{ people: number; name?: string | undefined }, number>>()

const noon = tool({
  name: 'noon',
  description: 'Tells the time',
  needsApproval: (args, { contextVariables }) =>
    contextVariables?.get('vip') !== true && `for ${Object.keys(args).length}`,
  execute: (args) => {
    expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>()
    return '12:00'
  },
})
expectTypeOf(noon).toEqualTypeOf<Tool<Record<string, unknown>, string>>()

declare const agent: ConversableAgent
expectTypeOf(agent.registerForLlm(book)).toEqualTypeOf(book)
void agent.run('hi', { tools: [book] })

tool({
  name: 'wrong',
  description: 'x',
  parameters: z.object({ people: z.number() }),
  // @ts-expect-error an argument that the parameters do not have
  execute: ({ persons }) => persons,
})

// @ts-expect-error a misspelt option of a chat
void agent.initiateChat(agent, { mesage: 'hi' })
