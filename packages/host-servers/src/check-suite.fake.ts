import { createHost, type DefinedChat, type Host } from '@x/host'
import type { ChatStore, HostBackend } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { clerkChat } from './clerk.fake.ts'

/** Methods of a store that change nothing. */
const READING: ReadonlySet<unknown> = new Set<keyof ChatStore>(['counts', 'list', 'get', 'entries', 'messages'])

/** Returns a backend of which only the reading side of the store works. */
function readOnly(at: HostBackend): HostBackend {
  const refused = (name: unknown) => (): never => {
    throw new Error(`a check has called \`${String(name)}\``)
  }
  const store = new Proxy(at.store, {
    get: (target, key) => (READING.has(key) ? (Reflect.get(target, key) as () => unknown).bind(target) : refused(key)),
  })
  const none = new Proxy({}, { get: (_, key) => refused(key) }) as never
  return { name: at.name, store, queue: none, events: none, records: none, watch: refused('watch'), close() {} }
}

/**
 * Tests of checks, and of two versions at once, in workers of one version each; `isForOne`: a backend for one worker at a
 * time, which has both versions then.
 */
export function checkSuite(name: string, create: () => HostBackend, { isForOne = false } = {}): void {
  describe(`a deploy on ${name}`, () => {
    it('is checked before, and lets each chat end in its version, paid once', { timeout: 120_000 }, async () => {
      const at = create()
      const asked = { '1': new Set<string>(), '2': new Set<string>() }
      const paid: string[] = []
      const versionOf = (version: '1' | '2'): DefinedChat => {
        const log = { asked: (id: string) => void asked[version].add(id), paid: (id: string) => void paid.push(id) }
        return { ...clerkChat(log), version }
      }
      const [one, two] = [versionOf('1'), versionOf('2')]
      const hostOf = (...chats: DefinedChat[]): Host => createHost({ chats, at: { ...at, close() {} } })
      const stops: (() => Promise<void>)[] = []
      const works = (...chats: DefinedChat[]): void => {
        const stop = new AbortController()
        const work = hostOf(...chats).work({ signal: stop.signal, concurrency: 20, lease: 5 })
        stops.push(async () => {
          stop.abort()
          await work
        })
      }
      const host = hostOf(one)
      const before = Array.from({ length: 60 }, (_, n) => `old-${n}`)
      const after = Array.from({ length: 60 }, (_, n) => `new-${n}`)
      for (const id of before) await host.submit(one, { euros: 25 } as never, { id })
      works(one)
      const suspended = { name: 'clerk', version: '1', state: 'suspended', count: 60 }
      await expect.poll(() => host.counts(), { timeout: 60_000 }).toEqual([suspended])

      // The first worker stays, and nothing that it has is touched.
      const checking = createHost({ chats: [], at: readOnly(at) })
      const fits: unknown[] = []
      for await (const { id, goesOn, next, unused } of checking.check(two)) fits.push([id, goesOn, next?.name, unused])
      expect(fits).toEqual(before.toSorted().map((id) => [id, true, 'pay', 0]))
      const other = { ...two, check: () => Promise.reject(new Error('no such order')) }
      for await (const { problem } of checking.check(other)) expect(problem?.message).toBe('no such order')
      expect(asked['2'].size).toBe(0)

      if (isForOne) await stops.pop()!()
      for (const chats of isForOne ? [[one, two]] : [[two], [one], [two]]) works(...chats)
      for (const id of after) await host.submit(two, { euros: 25 } as never, { id })
      const done = [...before, ...after]
      const ended = Promise.all(done.map((id) => host.result(id)))
      const over = new AbortController()
      void ended.finally(() => over.abort()).catch(() => {})
      while (!over.signal.aborted) {
        for await (const { chat, pending } of host.pending()) await host.decide(chat, pending.id, { allow: true })
        await new Promise(setImmediate)
      }
      expect(new Set(await ended)).toEqual(new Set(['done: 25 euros']))
      expect(paid.toSorted()).toEqual(done.toSorted())
      expect([asked['1'], asked['2']].map((ids) => [...ids].toSorted())).toEqual([before.toSorted(), after.toSorted()])
      for (const stop of stops) await stop()
      await at.close()
    })
  })
}
