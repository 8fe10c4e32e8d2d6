import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { MAX_FILE_BYTES, MAX_FILES } from './attachment.ts'
import type { Chats } from './chats.ts'
import type { Conversation } from './conversation.ts'
import { HttpFailure } from './http-failure.ts'
import { jsonBody, MAX_BODY_BYTES } from './json-body.ts'
import { checkFiles } from './kept-files.ts'

/** A post of a page, with the parts of its path. */
export interface PostRequest {
  readonly chats: Chats
  readonly request: IncomingMessage
  readonly groups: Readonly<Record<string, string>>
}

/** An action of a page; returns the body of the response, or undefined. */
export interface Post {
  readonly path: RegExp
  act(post: PostRequest): Promise<object | undefined>
}

/** Most bytes of a message with its files, whose base64 has four thirds of their bytes. */
export const MAX_MESSAGE_BYTES: number = MAX_BODY_BYTES + Math.ceil((MAX_FILE_BYTES * 4) / 3)

const GIVEN_FILE = z.strictObject({ name: z.string().max(1000), data: z.string() })
const MESSAGE_BODY = z
  .strictObject({
    text: z.string().trim().max(MAX_BODY_BYTES, `a message has at most ${MAX_BODY_BYTES} characters`),
    files: z.array(GIVEN_FILE).max(MAX_FILES, `a message has at most ${MAX_FILES} files`).default([]),
  })
  .refine(({ text, files }) => text !== '' || files.length > 0, { path: ['text'], error: 'say something' })
const ANSWER_BODY = z.strictObject({ text: z.string().trim() })
const FORK_BODY = z.strictObject({ turn: z.int().min(0), text: z.string().trim().min(1).optional() })
const EMPTY_BODY = z.strictObject({})
const OLDER_CHATS_BODY = z.strictObject({ after: z.string().max(200) })
const NEW_CHAT_BODY = z.strictObject({ kind: z.enum(['assistant', 'group']).optional() })
const DECISION_BODY = z.discriminatedUnion('allow', [
  z.strictObject({ allow: z.literal(true), arguments: z.record(z.string(), z.unknown()).optional() }),
  z.strictObject({ allow: z.literal(false), reason: z.string().optional() }),
])

/** Makes a post to one chat; by default with an empty response. */
const toChat = (
  rest: string,
  act: (chat: Conversation, { chats, request, groups }: PostRequest) => Promise<object | void>,
): Post => ({
  path: new RegExp(`^/chats/(?<chat>[\\w-]+)/${rest}$`, 'u'),
  async act(post) {
    using used = await post.chats.use(post.groups['chat']!)
    if (!used) throw new HttpFailure(404, 'there is no such chat')
    return (await act(used.chat, post)) ?? undefined
  },
})

/** All actions of a page. */
export const POSTS: readonly Post[] = [
  {
    path: /^\/chats$/u,
    async act({ chats, request }) {
      const { kind } = await jsonBody(request, NEW_CHAT_BODY)
      return { id: chats.begin(kind) }
    },
  },
  {
    path: /^\/older-chats$/u,
    async act({ chats, request }) {
      return await chats.older((await jsonBody(request, OLDER_CHATS_BODY)).after)
    },
  },
  toChat('messages', async (chat, { request }) => {
    const { text, files } = await jsonBody(request, MESSAGE_BODY, MAX_MESSAGE_BYTES)
    await chat.say(text, checkFiles(files))
  }),
  toChat('forks', async ({ id }, { chats, request }) => {
    const { turn, text } = await jsonBody(request, FORK_BODY)
    return { id: await chats.fork(id, turn, text) }
  }),
  toChat('stop', async (chat, { request }) => {
    await jsonBody(request, EMPTY_BODY)
    await chat.stop()
  }),
  toChat('approvals/(?<id>[\\w.]+)', async (chat, { request, groups }) => {
    await chat.decide(groups['id']!, await jsonBody(request, DECISION_BODY))
  }),
  toChat('answers/(?<id>[\\d-]+)', async (chat, { request, groups }) => {
    await chat.answer(groups['id']!, (await jsonBody(request, ANSWER_BODY)).text)
  }),
]
