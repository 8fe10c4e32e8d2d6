import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Steps } from './index.ts'

interface Note {
  readonly type: 'note'
  readonly text: string
}

// A module keeps the clock that it finds when it is loaded.
let time = 0
let jump = 0
performance.now = () => (time += jump)
vi.resetModules()
const { all, currentRun, pool, runAsync, runStream, runSync, wait } = await import('./index.ts')

beforeEach(() => void (jump = 100))
afterEach(() => void vi.useRealTimers())

/** Takes steps that answer at once, for ever or so many times. */
function* busy(text: string, times = Infinity): Steps<string, Note> {
  for (let index = 0; index < times; index++) {
    yield* wait(undefined, 'nothing to wait for')
    yield { type: 'note', text: `${text}${index}` }
  }
  return text
}

const stopSoon = (): AbortSignal => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 0)
  return controller.signal
}

const outside = (run: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> => run(stopSoon())

describe('steps that never wait', () => {
  it('give the event loop its turn, so that a timer can stop them', async () => {
    await expect(outside((signal) => runAsync(busy('a'), { signal }))).rejects.toThrow('stopped by the caller')
  })

  it('do so in a stream', async () => {
    await expect(
      outside(async (signal) => {
        for await (const _ of runStream(busy('a'), { signal }));
      }),
    ).rejects.toThrow('stopped by the caller')
  })

  it('do so when promises answer at once', async () => {
    function* asks(): Steps<never, Note> {
      for (;;) yield* wait(Promise.resolve(), 'a promise that is there')
    }
    await expect(outside((signal) => runAsync(asks(), { signal }))).rejects.toThrow('stopped by the caller')
  })

  it('do so side by side', async () => {
    const children = [busy('a'), busy('b'), busy('c')]
    await expect(outside((signal) => runAsync(all(children), { signal }))).rejects.toThrow('stopped by the caller')
  })

  it('do so in a run inside another, which is on the clock of the outer one', async () => {
    function* outer(): Steps<unknown, Note> {
      const run = yield* currentRun()
      for (;;) yield* wait(runAsync(busy('inner', 3), { run }), 'an inner run')
    }
    await expect(outside((signal) => runAsync(outer(), { signal }))).rejects.toThrow('stopped by the caller')
  })

  it('do so under fake timers', async () => {
    vi.useFakeTimers()
    await expect(runAsync(busy('a', 50))).resolves.toBe('a')
  })

  it('take at least one step each after a turn', async () => {
    const seen: string[] = []
    await runAsync(all([busy('a', 40), busy('b', 40)]), { emit: ({ text }: Note) => void seen.push(text) })
    // The first steps are taken before the clock is read; the first of a turn then goes on until the loop's next turn is due.
    for (let index = 0; index < 15; index++) {
      expect(seen.indexOf(`b${index}`)).toBeLessThan(seen.indexOf(`a${2 * index + 10}`))
    }
  })

  it('cannot in the blocking face', () => {
    expect(runSync(busy('a', 50))).toBe('a')
  })

  it('are closed without waiting for a turn', async () => {
    const controller = new AbortController()
    const seen: string[] = []
    function* walk(): Steps<void, Note> {
      try {
        yield* busy('a')
      } finally {
        for (let index = 0; index < 5; index++) seen.push('closed')
      }
    }
    const ran = runAsync(walk(), { signal: controller.signal })
    controller.abort()
    await expect(ran).rejects.toThrow('stopped by the caller')
    expect(seen).toHaveLength(5)
  })
})

describe('the order of events', () => {
  it.each([1, 2, 5, Infinity])('is the same with a turn at every step, %d at once', async (limit) => {
    const program = (): Steps<unknown, Note> => {
      const left = ['a', 'b', 'c', 'd', 'e']
      return pool(() => {
        const text = left.shift()
        return text === undefined ? undefined : busy(text, 12)
      }, limit)
    }
    const eventsOf = async (ms: number): Promise<string[]> => {
      jump = ms
      const seen: string[] = []
      await runAsync(program(), { emit: ({ text }: Note) => void seen.push(text) })
      return seen
    }
    const each = (events: string[], text: string): string[] => events.filter((event) => event.startsWith(text))
    const [calm, pressed] = [await eventsOf(0), await eventsOf(100)]
    expect([...pressed].sort()).toEqual([...calm].sort())
    for (const text of ['a', 'b', 'c', 'd', 'e']) expect(each(pressed, text)).toEqual(each(calm, text))
    if (limit === 1) expect(pressed).toEqual(calm)
  })
})
