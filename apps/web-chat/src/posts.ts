import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { Chats } from './chats.ts'
import type { Conversation } from './conversation.ts'
import { HttpFailure } from './http-failure.ts'
import { jsonBody } from './json-body.ts'

/** A post of a page: its body, and what its path names. */
export interface PostRequest {
  readonly chats: Chats
  readonly request: IncomingMessage
  readonly groups: Readonly<Record<string, string>>
}

/** Something a page may do; gives what is answered, or nothing. */
export interface Post {
  readonly path: RegExp
  act(post: PostRequest): Promise<object | undefined>
}

const SAID = z.strictObject({ text: z.string().trim().min(1) })
const ANSWERED = z.strictObject({ text: z.string().trim() })
const NOTHING = z.strictObject({})
const OLDER = z.strictObject({ after: z.string().max(200) })
const BEGUN = z.strictObject({ kind: z.enum(['assistant', 'group']).optional() })
const DECISION = z.discriminatedUnion('allow', [
  z.strictObject({ allow: z.literal(true), arguments: z.record(z.string(), z.unknown()).optional() }),
  z.strictObject({ allow: z.literal(false), reason: z.string().optional() }),
])

/** A post to one chat; answered with nothing. */
const toChat = (rest: string, act: (chat: Conversation, { request, groups }: PostRequest) => Promise<void>): Post => ({
  path: new RegExp(`^/chats/(?<chat>[\\w-]+)/${rest}$`, 'u'),
  async act(post) {
    using used = await post.chats.use(post.groups['chat']!)
    if (!used) throw new HttpFailure(404, 'there is no such chat')
    await act(used.chat, post)
    return undefined
  },
})

/** Everything a page may do. */
export const POSTS: readonly Post[] = [
  {
    path: /^\/chats$/u,
    async act({ chats, request }) {
      const { kind } = await jsonBody(request, BEGUN)
      return { id: chats.begin(kind) }
    },
  },
  {
    path: /^\/older-chats$/u,
    async act({ chats, request }) {
      return await chats.older((await jsonBody(request, OLDER)).after)
    },
  },
  toChat('messages', async (chat, { request }) => chat.say((await jsonBody(request, SAID)).text)),
  toChat('stop', async (chat, { request }) => {
    await jsonBody(request, NOTHING)
    await chat.stop()
  }),
  toChat('approvals/(?<id>[\\w.]+)', async (chat, { request, groups }) => {
    await chat.decide(groups['id']!, await jsonBody(request, DECISION))
  }),
  toChat('answers/(?<id>[\\d-]+)', async (chat, { request, groups }) => {
    await chat.answer(groups['id']!, (await jsonBody(request, ANSWERED)).text)
  }),
]
