import type { ChatQueue, HostBackend } from '@x/interfaces'
import { expect, it } from 'vitest'
import { createHost, defineChat, sqlite } from '../index.ts'

/** A backend with a queue that delivers a chat when the test calls it, any number of times. */
function handFed(now: () => number): { at: HostBackend; give: (id: string) => Promise<void> } {
  const work = Promise.withResolvers<Parameters<ChatQueue['work']>[0]>()
  const { store, events, records, watch, close } = sqlite(':memory:', { now })
  const queue = {
    add() {},
    async work(its: Parameters<ChatQueue['work']>[0]) {
      work.resolve(its)
      await new Promise<void>((resolve) => its.signal.addEventListener('abort', () => resolve()))
    },
  }
  const at = { name: 'hand-fed', store, events, records, watch, close, queue }
  return { at, give: async (id) => await (await work.promise).run(id) }
}

it('stops its turn of a chat that it claims again after the lease has expired', async () => {
  let now = 0
  const { at, give } = handFed(() => now)
  const starts: AbortSignal[] = []
  const done = Promise.withResolvers<void>()
  const chat = defineChat({
    name: 'clerk',
    version: '1',
    async run({ run }) {
      starts.push(run.signal!)
      await done.promise
      return starts.length
    },
  })
  const host = createHost({ chats: [chat], at })
  await host.submit(chat, {}, { id: 'a' })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal, lease: 600 })
  const first = give('a')
  await expect.poll(() => starts.length).toBe(1)
  now += 600_000
  const second = give('a')
  await expect.poll(() => starts.length).toBe(2)
  expect(starts.map(({ aborted }) => aborted)).toEqual([true, false])
  done.resolve()
  await Promise.all([first, second])
  expect(await host.result('a')).toBe(2)
  stop.abort()
  await work
  await host.close()
})

it('deletes parts that the previous worker left because it died after it had ended their chat', async () => {
  const { at, give } = handFed(() => 0)
  const chat = defineChat({ name: 'clerk', version: '1', run: () => 1 })
  const host = createHost({ chats: [chat], at })
  const parts = ['ended', 'waits'].map((name) => `a/part-${name.padEnd(27, '-')}.0`)
  for (const id of ['a', ...parts]) await host.submit(chat, {}, { id })
  for (const id of ['a', parts[0]!]) await at.store.finish((await at.store.claim(id, 1))!, { state: 'done', value: 1 })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  await give('a')
  expect((await at.store.list({ limit: 10 })).map(({ id }) => id)).toEqual(['a'])
  stop.abort()
  await work
  await host.close()
})
