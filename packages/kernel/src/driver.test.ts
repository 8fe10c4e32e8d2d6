import type { RunScope } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { each, within } from './steps.ts'
import { all, currentRun, isXError, pool, runAsync, runStream, runSync, type Steps, wait, XError } from './index.ts'
import { scopeOf } from './in-run.ts'

interface Note {
  readonly type: 'note'
  readonly text: string
}
const note = (text: string): Note => ({ type: 'note', text })

/** The three faces of one source, each giving its result and the events it sent. */
const faces: Record<string, <T>(make: () => Steps<T, Note>) => Promise<{ value: T; events: string[] }>> = {
  sync: async (make) => {
    const events: string[] = []
    const value = runSync(make(), { emit: (event) => void events.push(event.text) })
    return { value, events }
  },
  async: async (make) => {
    const events: string[] = []
    const value = await runAsync(make(), { emit: (event) => void events.push(event.text) })
    return { value, events }
  },
  stream: async (make) => {
    const events: string[] = []
    const stream = runStream(make())
    for (;;) {
      const item = await stream.next()
      if (item.done) return { value: item.value, events }
      events.push(item.value.text)
    }
  },
}

describe.each(Object.entries(faces))('the %s face', (name, run) => {
  it('gives a part a scope of its own, which sends its events and is what its calls are given', async () => {
    const marking = (mark: string): RunScope => ({
      chatId: mark,
      agentPath: null,
      budget: null,
      cache: null,
      spanId: null,
      callKind: null,
      newSpanId: () => '',
      inside: () => marking(mark),
      heard: () => marking(mark),
      takes: () => true,
      now: () => 0,
      send: (event, next) => next({ ...event, text: `${mark} ${(event as unknown as Note).text}` } as never),
    })
    function* part(): Steps<string, Note> {
      yield note('b')
      const run = yield* currentRun()
      yield* wait(run.emit(note('c') as never), 'an event')
      return String(scopeOf(run)?.chatId)
    }
    function* steps(): Steps<unknown, Note> {
      yield note('a')
      const inner = yield* within(marking('part'), part())
      yield note('d')
      return [inner, scopeOf(yield* currentRun())]
    }
    expect(await run(steps)).toEqual({ value: ['part', undefined], events: ['a', 'part b', 'part c', 'd'] })
  })

  it('gives the result and sends the events in order', async () => {
    function* walk(): Steps<number, Note> {
      const two = yield* wait(2, 'two')
      yield note('a')
      const three = yield* inner()
      yield note('c')
      return two * three
    }
    function* inner(): Steps<number, Note> {
      yield note('b')
      return yield* wait(3, 'three')
    }
    expect(await run(walk)).toEqual({ value: 6, events: ['a', 'b', 'c'] })
  })

  it('keeps the order of the results of all, and merges the events', async () => {
    function* child(text: string): Steps<string, Note> {
      yield note(text)
      return text.toUpperCase()
    }
    function* walk(): Steps<string[], Note> {
      return yield* all([child('a'), child('b'), child('c')], 2)
    }
    const { value, events } = await run(walk)
    expect(value).toEqual(['A', 'B', 'C'])
    expect(events.toSorted()).toEqual(['a', 'b', 'c'])
  })

  it('asks a pool for children until it has none', async () => {
    const done: number[] = []
    function* child(index: number): Steps<void, Note> {
      yield* wait(undefined, 'nothing')
      done.push(index)
    }
    function* walk(): Steps<number[], Note> {
      let next = 0
      yield* pool(() => (next < 5 ? child(next++) : undefined), 2)
      return done
    }
    expect((await run(walk)).value).toEqual([0, 1, 2, 3, 4])
  })

  it('gives an empty group without a step', async () => {
    function* walk(): Steps<unknown[], Note> {
      return yield* all([])
    }
    expect((await run(walk)).value).toEqual([])
  })

  it('hands on a synchronous source and gives its return value', async () => {
    function* source(): Generator<number, string> {
      yield 1
      yield 2
      return 'end'
    }
    function* walk(): Steps<string, Note> {
      return yield* each(source(), (item) => (item === 1 ? note(`${item}`) : undefined))
    }
    expect(await run(walk)).toEqual({ value: 'end', events: ['1'] })
  })

  it('tells the steps which face they are in', async () => {
    function* walk(): Steps<[string, boolean], Note> {
      const { face: its, signal } = yield* currentRun()
      return [its, signal === undefined]
    }
    expect((await run(walk)).value).toEqual([name, name === 'sync'])
  })

  it('lets the steps catch the error of a call and of a child', async () => {
    function* failing(): Steps<never, Note> {
      yield* wait(0, 'zero')
      throw new Error('child')
    }
    function* walk(): Steps<string[], Note> {
      const seen: string[] = []
      try {
        yield* all([failing()])
      } catch (error) {
        seen.push((error as Error).message)
      }
      try {
        yield* pool(() => {
          throw new Error('next')
        })
      } catch (error) {
        seen.push((error as Error).message)
      }
      return seen
    }
    expect((await run(walk)).value).toEqual(['child', 'next'])
  })

  it('closes the siblings of a child that fails, and starts no further one', async () => {
    const seen: string[] = []
    function* child(text: string): Steps<void, Note> {
      try {
        yield note(text)
        yield* wait(text === 'b' ? fail('b fails') : undefined, text)
        seen.push(`${text} ends`)
      } finally {
        seen.push(`${text} is closed`)
      }
    }
    const fail = (message: string): never => {
      throw new Error(message)
    }
    function* walk(): Steps<void, Note> {
      yield* all([child('a'), child('b'), child('c')], 2)
    }
    await expect(run(walk)).rejects.toThrow('b fails')
    expect(seen).toContain('b is closed')
    expect(seen).not.toContain('c ends')
    expect(seen.filter((line) => line === 'a is closed')).toHaveLength(1)
  })

  it('lets a listener that throws through to the caller, past every catch, and closes everything', async () => {
    const seen: string[] = []
    function* child(text: string): Steps<void, Note> {
      try {
        yield note(text)
        seen.push(`${text} goes on`)
      } catch {
        seen.push('caught')
      } finally {
        yield note('too late')
        yield* wait('clean-up', 'clean-up')
        seen.push(`${text} is closed`)
      }
    }
    function* walk(): Steps<void, Note> {
      try {
        yield* all([child('a')])
      } catch {
        seen.push('caught')
      } finally {
        seen.push('walk is closed')
      }
    }
    const listener = (): never => {
      throw new Error('the listener')
    }
    const started =
      name === 'sync'
        ? (async () => runSync(walk(), { emit: listener }))()
        : name === 'async'
          ? runAsync(walk(), { emit: listener })
          : runStream(walk()).throw(new Error('the listener'))
    await expect(started).rejects.toThrow('the listener')
    expect(seen).toEqual(name === 'stream' ? [] : ['a is closed', 'walk is closed'])
  })

  it('runs 100,000 plain waits and children at constant depth', async () => {
    function* one(): Steps<number, Note> {
      return yield* wait(1, 'one')
    }
    function* walk(): Steps<number, Note> {
      let sum = 0
      for (let index = 0; index < 50_000; index++) sum += yield* one()
      let left = 50_000
      yield* pool(() => (left-- > 0 ? one() : undefined), 3)
      return sum
    }
    expect((await run(walk)).value).toBe(50_000)
  })
})

describe('the blocking face', () => {
  it('refuses a promise by name, past every catch, and cleans up', () => {
    const seen: string[] = []
    function* walk(): Steps<void, Note> {
      try {
        yield* wait(Promise.reject(new Error('nobody waits')), 'the model')
      } catch {
        seen.push('caught')
      } finally {
        yield* wait(Promise.resolve(), 'clean-up')
        seen.push('closed')
      }
    }
    const error = failure(() => runSync(walk()))
    expect(isXError(error, 'async-in-sync')).toBe(true)
    expect(String(error)).toContain('`the model`')
    expect(seen).toEqual(['closed'])
  })

  it('refuses a promise in a child, and runs no sibling', () => {
    const seen: string[] = []
    function* child(value: unknown): Steps<void, Note> {
      seen.push('started')
      yield* wait(value, 'a tool')
    }
    function* walk(): Steps<void, Note> {
      yield* all([child(Promise.resolve()), child(1)])
    }
    expect(
      isXError(
        failure(() => runSync(walk())),
        'async-in-sync',
      ),
    ).toBe(true)
    expect(seen).toEqual(['started'])
  })

  it('refuses an async source and an async listener', () => {
    async function* source(): AsyncGenerator<number> {
      yield 1
    }
    function* walk(): Steps<void, Note> {
      yield* each(source(), () => note('never'), 'the stream of `m`')
    }
    expect(String(failure(() => runSync(walk())))).toContain('the stream of `m`')
    function* events(): Steps<void, Note> {
      yield note('a')
      yield note('b')
    }
    let calls = 0
    const error = failure(() =>
      runSync(events(), {
        emit: async () => {
          calls++
        },
      }),
    )
    expect([isXError(error, 'async-in-sync'), calls]).toEqual([true, 1])
  })

  it('throws what the steps throw', () => {
    function* walk(): Steps<void, Note> {
      yield* wait(1, 'one')
      throw new XError('invalid-argument', 'wrong')
    }
    expect(() => runSync(walk())).toThrow('wrong')
  })
})

function failure(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('did not fail')
}

it('refuses a limit that would run nothing', () => {
  expect(() => runSync(all([], 0))).toThrow(RangeError)
  expect(() => runSync(pool(() => undefined, Number.NaN))).toThrow(RangeError)
})
