import { createHost, defineChat } from '@x/host'
import type { HostBackend, JournalEntry, XEvent } from '@x/interfaces'
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

/** Tests that a worker keeps an answer once whose connection is lost when it writes. */
export function lostWritesSuite(url: string, open: (url: string) => HostBackend): void {
  const event = (text: string): XEvent =>
    ({
      type: 'warning',
      agent: null,
      code: 'lost',
      message: text,
      chatId: null,
      parentId: null,
      time: 1,
      seq: 1,
    }) as never
  const entry = (seq: number, text: string): JournalEntry => ({
    ...{ seq, kind: 'model', place: `1.${seq}`, checksum: '00000000', value: text },
  })

  it('keeps entries and events once when their answer is lost, and when the connection is half-open', async () => {
    const proxy = await startProxy(url)
    const at = open(proxy.url)
    onTestFinished(async () => {
      proxy.cut()
      await at.close()
    })
    await at.store.submit({ id: 'writes', name: 'clerk', version: '1', input: null })
    const claim = (await at.store.claim('writes', 600))!
    // Loads scripts and prepares statements, so that the calls below are single commands.
    await at.store.append(claim, [entry(0, 'warm')], [event('warm')])
    await at.events.append(claim, [event('warm too')])
    proxy.lose('lost entry')
    expect(await at.store.append(claim, [entry(1, 'lost entry')], [event('one')])).not.toBeNull()
    proxy.lose('lost event')
    expect(await at.events.append(claim, [event('lost event')])).not.toBeNull()
    expect(proxy.lost).toBe(2)
    proxy.halfOpen()
    expect(await at.store.append(claim, [entry(2, 'half-open')], [event('two')])).not.toBeNull()
    proxy.halfOpen()
    expect(await at.events.append(claim, [event('three')])).not.toBeNull()
    expect((await at.store.entries('writes')).map(({ value }) => value)).toEqual(['warm', 'lost entry', 'half-open'])
    const logged = await at.events.read('writes', null, 100)
    const texts = logged.map((each) => (each.event as { message?: string }).message)
    expect(texts).toEqual(['warm', 'warm too', 'one', 'lost event', 'two', 'three'])
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
