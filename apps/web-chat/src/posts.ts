import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { Conversation } from './conversation.ts'
import { jsonBody } from './json-body.ts'

/** Something a page may do; what its path names is handed on. */
export interface Post {
  readonly path: RegExp
  act(conversation: Conversation, request: IncomingMessage, name: string): Promise<void>
}

const SAID = z.strictObject({ text: z.string().trim().min(1) })
const NOTHING = z.strictObject({})
const DECISION = z.discriminatedUnion('allow', [
  z.strictObject({ allow: z.literal(true), arguments: z.record(z.string(), z.unknown()).optional() }),
  z.strictObject({ allow: z.literal(false), reason: z.string().optional() }),
])

/** Everything a page may do. */
export const POSTS: readonly Post[] = [
  {
    path: /^\/messages$/u,
    async act(conversation, request) {
      conversation.say((await jsonBody(request, SAID)).text)
    },
  },
  {
    path: /^\/stop$/u,
    async act(conversation, request) {
      await jsonBody(request, NOTHING)
      conversation.stop()
    },
  },
  {
    path: /^\/approvals\/([\w.]+)$/u,
    async act(conversation, request, id) {
      await conversation.decide(id, await jsonBody(request, DECISION))
    },
  },
  {
    path: /^\/answers\/(\d+)$/u,
    async act(conversation, request, id) {
      conversation.answer(id, (await jsonBody(request, SAID)).text)
    },
  },
]
