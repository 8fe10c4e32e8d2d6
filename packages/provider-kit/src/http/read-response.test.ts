import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parseJson } from '../json/parse-json.ts'
import { readFrames, readJson } from './read-response.ts'

describe('reading', () => {
  test('X15: keys that reach a prototype are dropped, a body too long is refused', async () => {
    expect(Object.keys(parseJson('{"__proto__":{"a":1},"constructor":{"prototype":{}},"b":2}') as object)).toEqual([
      'b',
    ])
    const long = new Response('{}', { headers: { 'content-length': String(1e9) } })
    await expect(readJson(long)).rejects.toMatchObject({ kind: 'server' })
  })

  test('X16: comments, several data lines, any line end, a missing last one', async () => {
    const text = ': hello\r\n\r\ndata: {"a":\r\ndata: 1}\r\n\r\nevent: x\rdata: {"b":2}\r\r\ndata: {"c":3}'
    const frames: unknown[] = []
    for await (const some of readFrames(new Response(text))) frames.push(...some)
    expect(frames).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }])
  })

  test.each([true, false])(
    'after it has said that it is done, a lean stream has a moment to end (it does: %s)',
    async (ends) => {
      vi.useFakeTimers()
      onTestFinished(() => void vi.useRealTimers())
      const end = Promise.withResolvers<IteratorResult<Uint8Array>>()
      const parts = [
        Promise.resolve({ done: false, value: new TextEncoder().encode('data: {"a":1}\n\ndata: [DONE]\n\n') }),
      ]
      let given = 0
      const bytes = {
        next: () => parts.shift() ?? end.promise,
        return: async () => {
          given++
          return { done: true as const, value: undefined }
        },
        [Symbol.asyncIterator]: () => bytes,
      }
      const response = { headers: new Headers(), text: async () => '', body: bytes as never }
      const frames: unknown[] = []
      for await (const some of readFrames(response)) frames.push(...some)
      expect([frames, given]).toEqual([[{ a: 1 }], 0])
      if (ends) end.resolve({ done: true, value: undefined })
      await vi.advanceTimersByTimeAsync(2000)
      expect(given).toBe(ends ? 0 : 1)
    },
  )

  test.each([
    'data: {"a":1}\n\ndata: [DONE]\n\n',
    'event: response.completed\ndata: {"a":1}\n\n',
    'event: response.failed\ndata: {"a":1}\n\n',
  ])('a stream that says that it is done is not waited for, and its connection is let go: %j', async (text) => {
    let closed = false
    const body = new ReadableStream({
      start: (to) => to.enqueue(new TextEncoder().encode(text)),
      cancel: () => void (closed = true),
    })
    const frames: unknown[] = []
    for await (const some of readFrames(new Response(body))) frames.push(...some)
    expect([frames, closed]).toEqual([[{ a: 1 }], true])
  })
})
