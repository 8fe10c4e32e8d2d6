import { createHost, defineChat } from '@x/host'
import type { HostBackend } from '@x/interfaces'
import { expect, it, onTestFinished } from 'vitest'
import { startProxy } from './proxy.fake.ts'

/** Tests that what a caller asks for again, because the answer was lost, is done once. */
export function lostAnswersSuite(url: string, open: (url: string) => HostBackend): void {
  it('submits a chat and sends a message once when the answer is lost and the caller tries again', async () => {
    const proxy = await startProxy(url)
    const at = open(proxy.url)
    const chat = defineChat({ name: 'talk', version: '1', run: async ({ receive }) => await receive() })
    const host = createHost({ chats: [chat], at })
    onTestFinished(async () => await host.close())
    // Loads scripts and prepares statements, so that the calls below are single commands.
    await host.submit(chat, {}, { id: 'warm' })
    await host.send('warm', 'hello', { id: '1' })
    proxy.lose('order of roses')
    await untilAnswered(async () => await host.submit(chat, { text: 'order of roses' }, { id: 'a' }))
    proxy.lose('good morning')
    await untilAnswered(async () => await host.send('a', 'good morning', { id: '1' }))
    expect(proxy.lost).toBe(2)
    expect(await at.store.claim('a', 600)).toMatchObject({
      input: { text: 'order of roses' },
      messages: ['good morning'],
      heard: 1,
    })
  })
}

/** Calls until a call does not fail. */
async function untilAnswered(call: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await call()
      return
    } catch {
      await new Promise(setImmediate)
    }
  }
}
