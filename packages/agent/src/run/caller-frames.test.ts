import { expect, it } from 'vitest'
import { agent } from './tool-chat.fake.ts'

const failing = () => {
  const its = agent('failing')
  its.registerReply(
    () => true,
    () => {
      throw new Error('boom')
    },
  )
  return its
}

const CHAT = { message: 'hi', maxTurns: 2 }

const calls: Record<string, () => Promise<unknown>> = {
  async: async function callerOfMine() {
    return await agent('user').initiateChat(failing(), CHAT)
  },
  // eslint-disable-next-line @typescript-eslint/require-await -- an operation gives a promise
  sync: async function callerOfMine() {
    return agent('user').initiateChatSync(failing(), CHAT)
  },
  stream: async function callerOfMine() {
    for await (const _ of agent('user').initiateChatStream(failing(), CHAT));
  },
  'a run': async function callerOfMine() {
    return await failing().run('hi')
  },
  'the result of a stream': async function callerOfMine() {
    return await agent('user').initiateChatStream(failing(), CHAT).result
  },
  'a chat in a chat': async function callerOfMine() {
    const outer = agent('outer')
    outer.registerReply(
      () => true,
      async (_, { run }) => [true, (await agent('user').initiateChat(failing(), { ...CHAT, run })).summary as string],
    )
    return await agent('user').initiateChat(outer, CHAT)
  },
}

it.each(Object.keys(calls))('an error shows who called within ten lines: %s', async (name) => {
  const error: unknown = await calls[name]!().catch((reason: unknown) => reason)
  const lines = (error as Error).stack!.split('\n')
  expect(lines[0]).toBe('Error: boom')
  expect(lines.slice(0, 11).join('\n')).toContain('callerOfMine')
})
