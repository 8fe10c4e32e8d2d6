import { describe, expect, it } from 'vitest'
import { abortable, abortError, throwIfAborted } from './abort.ts'
import { partRun } from './in-run.ts'
import { each } from './steps.ts'
import { all, currentRun, isXError, pool, runAsync, runStream, type Steps, wait, XError } from './index.ts'

interface Note {
  readonly type: 'note'
  readonly text: string
}
const note = (text: string): Note => ({ type: 'note', text })
const nothing = (): Note | undefined => undefined
const hangs = (): Promise<never> => new Promise(() => {})

/** Lets every promise that is already settled reach who waits for it. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** One way in which steps can be waiting when the abort comes. */
const waits: Record<string, (seen: string[]) => Steps<unknown, Note>> = {
  'a promise': () => wait(hangs(), 'a promise'),
  'a child of all': () => all([wait(hangs(), 'one'), wait(hangs(), 'two')]),
  'a child of a pool': () => pool(() => wait(hangs(), 'endless'), 3),
  'a child of a child': () => all([all([wait(hangs(), 'deep')])]),
  'a source that hangs': (seen) =>
    each(
      {
        [Symbol.asyncIterator]: () => ({
          next: hangs,
          return() {
            seen.push('source was left')
            return hangs()
          },
        }),
      },
      nothing,
    ),
  'a generator that hangs': (seen) =>
    each(
      (async function* () {
        try {
          yield await hangs()
        } finally {
          seen.push('never reached')
        }
      })(),
      nothing,
    ),
}

describe.each(Object.entries(waits))('an abort during %s', (_name, make) => {
  function* walk(seen: string[]): Steps<void, Note> {
    try {
      yield* make(seen)
    } catch {
      seen.push('caught')
    } finally {
      yield* wait(Promise.resolve(), 'an orderly clean-up')
      seen.push('closed')
    }
  }

  it('ends a promise at once, past every catch, after the clean-up', async () => {
    const seen: string[] = []
    const controller = new AbortController()
    const running = runAsync(walk(seen), { signal: controller.signal })
    await settled()
    controller.abort(new Error('enough'))
    const error = await running.catch((reason: unknown) => reason)
    expect(isXError(error, 'aborted')).toBe(true)
    expect((error as XError).cause).toEqual(new Error('enough'))
    expect(seen.at(-1)).toBe('closed')
    expect(seen).not.toContain('caught')
  })

  it('ends a stream at once', async () => {
    const seen: string[] = []
    const controller = new AbortController()
    const next = runStream(walk(seen), { signal: controller.signal }).next()
    await settled()
    controller.abort()
    expect(isXError(await next.catch((reason: unknown) => reason), 'aborted')).toBe(true)
    expect(seen.at(-1)).toBe('closed')
  })

  it('is the same when the consumer leaves the stream while it waits', async () => {
    const seen: string[] = []
    const stream = runStream(walk(seen))
    const next = stream.next()
    await settled()
    expect(await stream.return()).toEqual({ done: true, value: undefined })
    expect(await next).toEqual({ done: true, value: undefined })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(seen.at(-1)).toBe('closed')
  })
})

describe('an abort', () => {
  it('is seen after a call that did not wait', async () => {
    const seen: string[] = []
    const controller = new AbortController()
    function* walk(): Steps<void, Note> {
      try {
        yield* wait(controller.abort(), 'a call that aborts')
        seen.push('went on')
      } finally {
        seen.push('closed')
      }
    }
    await expect(runAsync(walk(), { signal: controller.signal })).rejects.toThrow('stopped by the caller')
    expect(seen).toEqual(['closed'])
  })

  it('is seen by all siblings when one of them causes it without waiting', async () => {
    const seen: string[] = []
    const controller = new AbortController()
    function* child(text: string, call: () => unknown): Steps<void, Note> {
      try {
        yield* wait(call(), text)
        seen.push(`${text} went on`)
      } finally {
        seen.push(`${text} closed`)
      }
    }
    function* walk(): Steps<void, Note> {
      yield* all([child('a', hangs), child('b', () => controller.abort()), child('c', () => 1)])
    }
    await expect(runAsync(walk(), { signal: controller.signal })).rejects.toThrow('stopped by the caller')
    expect(seen).toEqual(['b closed', 'a closed'])
  })

  it('before the start runs nothing', async () => {
    const seen: string[] = []
    function* walk(): Steps<void, Note> {
      seen.push('started')
      yield* wait(1, 'one')
    }
    const signal = AbortSignal.abort()
    await expect(runAsync(walk(), { signal })).rejects.toThrow('stopped by the caller')
    await expect(runStream(walk(), { signal }).next()).rejects.toThrow('stopped by the caller')
    expect(seen).toEqual([])
  })

  it.each<[unknown, string]>([
    [undefined, 'stopped by the caller: AbortError: This operation was aborted'],
    ['the page was closed', 'stopped by the caller: the page was closed'],
    [new RangeError('too late'), 'stopped by the caller: RangeError: too late'],
    [new DOMException('over time', 'TimeoutError'), 'stopped by the caller: TimeoutError: over time'],
  ])('says why: %s', async (reason, text) => {
    const signal = AbortSignal.abort(reason)
    await expect(runAsync(wait(1, 'one'), { signal })).rejects.toMatchObject({ code: 'aborted', message: text })
  })

  it('reaches the calls by the signal of the run, with the cause as its reason', async () => {
    const controller = new AbortController()
    let inner: AbortSignal | undefined
    function* walk(): Steps<void, Note> {
      inner = (yield* currentRun()).signal
      yield* wait(hangs(), 'a call')
    }
    const running = runAsync(walk(), { signal: controller.signal })
    controller.abort('because')
    await expect(running).rejects.toThrow('stopped by the caller')
    expect(inner!.aborted).toBe(true)
    expect((inner!.reason as XError).cause).toBe('because')
  })

  it('leaves no listener on a signal that many runs share', async () => {
    const { signal } = new AbortController()
    let listeners = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args))
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args))
    function* walk(index: number): Steps<void, Note> {
      yield note('a')
      yield* wait(Promise.resolve(), 'a promise')
      if (index % 3 === 0) throw new Error('fails')
    }
    for (let index = 0; index < 300; index++) {
      await runAsync(walk(index), { signal }).catch(() => {})
      const stream = runStream(walk(index), { signal })
      await stream.next()
      await stream.return()
      await abortable(Promise.resolve(), signal)
    }
    expect(listeners).toBe(0)
  })
})

describe('a child that fails', () => {
  it('aborts the calls of its siblings and not those of its parent', async () => {
    const signals: (AbortSignal | undefined)[] = []
    function* sibling(): Steps<void, Note> {
      signals.push((yield* currentRun()).signal)
      yield* wait(hangs(), 'a sibling')
    }
    function* failing(): Steps<void, Note> {
      yield* wait(Promise.reject(new Error('one fails')), 'a failing call')
    }
    function* walk(): Steps<string, Note> {
      signals.push((yield* currentRun()).signal)
      try {
        yield* all([sibling(), failing()])
      } catch (error) {
        return (error as Error).message
      }
      return 'no error'
    }
    expect(await runAsync(walk())).toBe('one fails')
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, true])
  })

  it('ignores the late answer of a wait that was given up', async () => {
    const late = Promise.withResolvers<void>()
    const seen: string[] = []
    function* sibling(): Steps<void, Note> {
      yield* wait(late.promise, 'late')
      seen.push('went on')
    }
    function* failing(): Steps<void, Note> {
      yield* wait(Promise.reject(new Error('one fails')), 'a failing call')
    }
    await expect(runAsync(all([sibling(), failing()]))).rejects.toThrow('one fails')
    late.resolve()
    await settled()
    expect(seen).toEqual([])
  })
})

describe('a listener', () => {
  it('that is slow slows the steps', async () => {
    const seen: string[] = []
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    function* walk(): Steps<void, Note> {
      for (const text of ['0', '1']) {
        yield note(text)
        seen.push(`after ${text}`)
      }
    }
    const running = runAsync(walk(), { emit: ({ text }) => gates[Number(text)]!.promise })
    await settled()
    expect(seen).toEqual([])
    gates[0]!.resolve()
    await settled()
    expect(seen).toEqual(['after 0'])
    gates[1]!.resolve()
    await running
  })

  it('that rejects ends the run, also for an event of a call', async () => {
    function* yields(): Steps<void, Note> {
      yield note('a')
    }
    function* emits(): Steps<void, Note> {
      const run = yield* currentRun()
      void run.emit(note('a') as never)
      yield* wait(hangs(), 'a call that hangs')
    }
    const emit = async (): Promise<void> => {
      throw new Error('the listener')
    }
    await expect(runAsync(yields(), { emit })).rejects.toThrow('the listener')
    await expect(runAsync(emits(), { emit })).rejects.toThrow('the listener')
  })
})

describe('a stream', () => {
  it('starts with the first next and goes on from an event only when asked', async () => {
    const seen: string[] = []
    function* walk(): Steps<string, Note> {
      for (const text of ['a', 'b']) {
        seen.push(text)
        yield note(text)
      }
      return 'end'
    }
    const stream = runStream(walk())
    await settled()
    expect(seen).toEqual([])
    await stream.next()
    await settled()
    expect(seen).toEqual(['a'])
    await stream.next()
    expect(seen).toEqual(['a', 'b'])
    expect(await stream.next()).toEqual({ done: true, value: 'end' })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  it('holds every child of a group back to the pace of its consumer', async () => {
    let made = 0
    async function* source(): AsyncGenerator<number> {
      for (;;) yield made++
    }
    const stream = runStream(
      all([each(source(), (item) => note(`${item}`)), each(source(), (item) => note(`${item}`))]),
    )
    for (let taken = 1; taken <= 20; taken++) {
      await stream.next()
      await settled()
      expect(made).toBeLessThanOrEqual(taken + 2)
    }
    await stream.return([])
  })

  it('takes the events of a call in, and tells it when they were taken', async () => {
    const seen: string[] = []
    function* walk(): Steps<void, Note> {
      const run = yield* currentRun()
      const call = async (): Promise<void> => {
        await run.emit(note('a') as never)
        seen.push('a was taken')
        await run.emit(note('b') as never)
        seen.push('b was taken')
      }
      yield* wait(call(), 'a call')
    }
    const stream = runStream(walk())
    expect(await stream.next()).toEqual({ done: false, value: note('a') })
    await settled()
    expect(seen).toEqual([])
    expect(await stream.next()).toEqual({ done: false, value: note('b') })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(seen).toEqual(['a was taken', 'b was taken'])
  })

  it('that is left at an event closes the steps and stops the calls', async () => {
    const seen: string[] = []
    let signal: AbortSignal | undefined
    function* walk(): Steps<void, Note> {
      try {
        signal = (yield* currentRun()).signal
        for (;;) yield note('again')
      } finally {
        seen.push('closed')
      }
    }
    for await (const event of runStream(walk())) {
      expect(event.text).toBe('again')
      break
    }
    expect(seen).toEqual(['closed'])
    expect(isXError(signal!.reason, 'aborted')).toBe(true)
  })

  it('that is left lets no call wait for its event to be taken', async () => {
    const seen: string[] = []
    function* walk(): Steps<void, Note> {
      const run = yield* currentRun()
      const call = async (text: string): Promise<void> => {
        await run.emit(note(text) as never)
        seen.push(`${text} goes on`)
      }
      yield* wait(Promise.all([call('a'), call('b')]), 'two calls')
    }
    const stream = runStream(walk())
    await stream.next()
    await stream.return()
    await settled()
    expect(seen).toEqual(['a goes on', 'b goes on'])
  })

  it('serves several next at once in order', async () => {
    function* walk(): Steps<string, Note> {
      yield note('a')
      yield* wait(Promise.resolve(), 'a promise')
      yield note('b')
      return 'end'
    }
    const stream = runStream(walk())
    const items = await Promise.all([stream.next(), stream.next(), stream.next(), stream.next()])
    expect(items.map((item) => item.value)).toEqual([note('a'), note('b'), 'end', undefined])
  })

  it('gives the error of the steps once', async () => {
    function* walk(): Steps<void, Note> {
      yield note('a')
      throw new Error('the steps')
    }
    const stream = runStream(walk())
    await stream.next()
    await expect(stream.next()).rejects.toThrow('the steps')
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  it('throws what is thrown into it', async () => {
    function* walk(): Steps<void, Note> {
      yield note('a')
    }
    const stream = runStream(walk())
    await stream.next()
    await expect(stream.throw(new Error('thrown in'))).rejects.toThrow('thrown in')
    const other = runStream(walk())
    expect(await other.next()).toEqual({ done: false, value: note('a') })
    await other[Symbol.asyncDispose]()
    expect(await other.next()).toEqual({ done: true, value: undefined })
  })
})

describe('a call that stops its own run', () => {
  it.each([
    ['hangs', hangs],
    ['fails afterwards', async () => await Promise.reject(new Error('too late'))],
  ])('and %s is not waited for, alone or as a child', async (_, call) => {
    for (const asChild of [false, true]) {
      const controller = new AbortController()
      let closed = false
      function* steps(): Steps<unknown, Note> {
        try {
          controller.abort()
          return yield* wait(call(), 'the call')
        } finally {
          closed = true
        }
      }
      const run = asChild ? all([steps()]) : steps()
      await expect(runAsync(run, { signal: controller.signal })).rejects.toThrow('stopped by the caller')
      expect(closed).toBe(true)
    }
    await settled()
  })
})

describe('the abort helpers', () => {
  it('give one error for one signal', () => {
    const controller = new AbortController()
    throwIfAborted(controller.signal)
    throwIfAborted(undefined)
    controller.abort(new XError('budget-exceeded', 'spent'))
    expect(abortError(controller.signal).code).toBe('budget-exceeded')
    expect(() => throwIfAborted(controller.signal)).toThrow('spent')
  })

  it('end a wait for a promise that hangs', async () => {
    const controller = new AbortController()
    const waiting = abortable(hangs(), controller.signal)
    controller.abort()
    await expect(waiting).rejects.toThrow('stopped by the caller')
    await expect(abortable(hangs(), controller.signal)).rejects.toThrow('stopped by the caller')
    expect(await abortable(Promise.resolve(1), undefined)).toBe(1)
    await expect(abortable(Promise.reject(new Error('its own')), new AbortController().signal)).rejects.toThrow(
      'its own',
    )
  })
})

it('loses what is sent in a part of a run that has ended, while the run goes on', async () => {
  const told: Note[] = []
  function* walk(): Steps<void, Note> {
    const run = yield* currentRun()
    const part = partRun(run, {})
    const { emit } = part.run
    for (const text of ['in the part', 'after its end']) {
      yield* wait(emit(note(text) as never), 'an event')
      part.end()
    }
    yield* wait(part.run.emit(note('later') as never), 'an event')
    yield note('in the run')
  }
  await runAsync(walk(), { emit: (event) => void told.push(event) })
  expect(told).toEqual([note('in the part'), note('in the run')])
})
