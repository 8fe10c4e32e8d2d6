import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatStore, HostBackend, HostedChat } from '@x/interfaces'
import { chatQueueContract, chatStoreContract, eventLogContract } from '@x/testing/hosting'
import { afterAll, describe, expect, test } from 'vitest'
import { sqlite } from './sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'host-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

for (const contract of [
  { name: 'sqlite', create: () => sqlite(join(folder, `${files++}.db`)) },
  { name: 'sqlite in memory', create: () => sqlite(':memory:') },
]) {
  for (const suite of [chatStoreContract, chatQueueContract, eventLogContract])
    suite({ describe, test, expect }, contract)
}

test('keeps what stands behind a zero character of a reason, at which Node 22 ends texts', async () => {
  const { store, close } = sqlite(':memory:')
  await store.submit({ id: 'a', name: 'clerk', version: '1', input: null })
  const claim = (await store.claim('a', 60))!
  expect(await store.putOff(claim, 'bad\0gateway')).toMatchObject({ reason: 'bad\ufffdgateway' })
  await close()
})

/** Changes some methods of a store of chats. */
type Broken = (store: Reads) => Partial<ChatStore>

type Reads = Pick<ChatStore, 'get' | 'pending'>

test.each<readonly [string, Broken, string]>([
  ['gives its own objects', (store) => ({ get: remembered(store) }), 'gives and keeps copies'],
  ['gives all questions at once', (store) => ({ pending: (after) => store.pending(after, 99) }), 'pending questions'],
])('a store that %s is found out', async (_, broken, title) => {
  const tests: [string, () => Promise<void>][] = []
  const create = (): HostBackend => {
    const backend = sqlite(':memory:')
    const { store } = backend
    const [get, pending] = [store.get.bind(store), store.pending.bind(store)]
    Object.assign(store, broken({ get, pending }))
    return backend
  }
  const runner = { describe: (__: string, body: () => void) => body(), expect }
  chatStoreContract({ ...runner, test: (name, body) => void tests.push([name, body]) }, { name: 'broken', create })
  const [, body] = tests.find(([name]) => name.includes(title))!
  await expect(body()).rejects.toThrow('expected')
})

/** Gives the same object for a chat that has not changed. */
function remembered(store: Reads): ChatStore['get'] {
  const known = new Map<string, HostedChat | null>()
  return async (id) => {
    const chat = await store.get(id)
    const text = JSON.stringify(chat)
    if (!known.has(text)) known.set(text, chat)
    return known.get(text)!
  }
}
