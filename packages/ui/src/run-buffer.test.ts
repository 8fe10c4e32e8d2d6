import type { XEvent } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { toSseResponse } from './responses.ts'
import { RunBuffer } from './run-buffer.ts'

const eventOf = (seq: number, text = 'x', runId = 'run'): XEvent => ({
  type: 'textDelta',
  runId,
  seq,
  time: 7,
  chatId: '1',
  agentPath: ['bot'],
  parentId: 'call',
  agent: 'bot',
  index: 0,
  text,
})

/** A run that tells its events when it is asked to. */
class Told implements AsyncIterable<XEvent> {
  readonly #texts: string[] = []
  #change = Promise.withResolvers<void>()
  #end: { readonly error?: unknown } | null = null
  readonly #runId: string
  asked = 0
  isLeft = false

  constructor(runId = 'run') {
    this.#runId = runId
  }

  tell(...texts: string[]): this {
    this.#texts.push(...texts)
    return this.#tell()
  }

  end(error?: unknown): this {
    this.#end = error === undefined ? {} : { error }
    return this.#tell()
  }

  #tell(): this {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
    return this
  }

  [Symbol.asyncIterator](): AsyncIterator<XEvent> {
    return {
      next: async () => {
        const seq = this.asked++
        // eslint-disable-next-line no-await-in-loop -- the next event
        while (seq >= this.#texts.length && !this.#end) await this.#change.promise
        if (seq < this.#texts.length) return { done: false, value: eventOf(seq, this.#texts[seq], this.#runId) }
        if (this.#end?.error !== undefined) throw this.#end.error
        return { done: true, value: undefined }
      },
      return: async () => {
        this.isLeft = true
        this.end()
        return await Promise.resolve({ done: true, value: undefined })
      },
    }
  }
}

const textOf = (event: XEvent): string => (event.type === 'textDelta' ? event.text : '')
async function textsOf(events: AsyncIterable<XEvent> | null): Promise<string> {
  const texts: string[] = []
  for await (const each of events!) texts.push(textOf(each))
  return texts.join('')
}
async function some(events: AsyncIterator<XEvent>, count: number): Promise<string> {
  const texts: string[] = []
  while (texts.length < count) {
    // eslint-disable-next-line no-await-in-loop -- one event after the other
    const { done, value } = await events.next()
    if (done === true) break
    texts.push(textOf(value))
  }
  return texts.join('')
}

describe('a kept run', () => {
  it('is read again from its beginning, or behind the last event that a page has', async () => {
    const buffer = new RunBuffer()
    const run = new Told().tell('a', 'b')
    const left = buffer.keep('chat', run)
    expect(await some(left, 2)).toBe('ab')
    await left.return!()
    expect(run.isLeft).toBe(false)
    const readings = [null, '0', '1', 'unknown'].map((after) => textsOf(buffer.events('chat', after)))
    run.tell('c', 'd').end()
    expect(await Promise.all(readings)).toEqual(['abcd', 'bcd', 'cd', 'abcd'])
    expect(await textsOf(buffer.events('chat'))).toBe('abcd')
    expect(buffer.events('other')).toBeNull()
  })

  it('is read from its beginning by a page that has read another run of the key', async () => {
    const buffer = new RunBuffer()
    const bodyOf = async (events: AsyncIterable<XEvent>): Promise<string> => await toSseResponse(events).text()
    const first = await bodyOf(buffer.keep('chat', new Told('one').tell('a', 'b').end()))
    const lastId = /id: (.*)\n.*\n\n$/u.exec(first)?.[1]
    expect(await textsOf(buffer.events('chat', lastId))).toBe('')
    await bodyOf(buffer.keep('chat', new Told('another\nrun').tell('c', 'd', 'e').end()))
    expect(await textsOf(buffer.events('chat', lastId))).toBe('cde')
    const ids = (await bodyOf(buffer.events('chat')!)).match(/^id: .*$/gmu)
    expect(ids).toEqual(['id: another%0Arun/0', 'id: another%0Arun/1', 'id: another%0Arun/2'])
    expect(await textsOf(buffer.events('chat', 'another%0Arun/0'))).toBe('de')
  })

  it('goes on without a page, and saves its result before a page has the end', async () => {
    const buffer = new RunBuffer()
    const run = new Told().tell('a').end()
    const saving = Promise.withResolvers<void>()
    const saved = Promise.withResolvers<void>()
    const onEnd = async (): Promise<void> => {
      saving.resolve()
      await saved.promise
    }
    await buffer.keep('chat', run, { onEnd }).return!()
    await saving.promise
    const reading = buffer.events('chat')!
    expect(await some(reading, 1)).toBe('a')
    const end = reading.next()
    expect(await Promise.race([end, Promise.resolve('open')])).toBe('open')
    saved.resolve()
    expect((await end).done).toBe(true)
  })

  it('fails for all its pages if it fails, or cannot be saved', async () => {
    const buffer = new RunBuffer()
    buffer.keep('chat', new Told().tell('a').end(new Error('no')))
    await expect(textsOf(buffer.events('chat'))).rejects.toThrow('no')
    await expect(textsOf(buffer.events('chat'))).rejects.toThrow('no')
    const onEnd = (): never => {
      throw new Error('the disk is full')
    }
    await expect(textsOf(buffer.keep('chat', new Told().end(), { onEnd }))).rejects.toThrow('the disk is full')
  })

  it('is stopped for all its pages, once', async () => {
    const buffer = new RunBuffer()
    const run = new Told().tell('a')
    const readings = [buffer.keep('chat', run), buffer.events('chat')!]
    expect(await Promise.all(readings.map(async (each) => await some(each, 1)))).toEqual(['a', 'a'])
    expect(buffer.stop('chat')).toBe(true)
    const ends = await Promise.allSettled(readings.map(async (each) => await each.next()))
    expect(ends.map((end) => end.status === 'rejected' && (end.reason as { code?: unknown }).code)).toEqual([
      'aborted',
      'aborted',
    ])
    expect(run.isLeft).toBe(true)
    expect([buffer.stop('chat'), buffer.stop('other')]).toEqual([false, false])
  })

  it('is kept behind its end for as long as a timer can wait', async () => {
    const buffer = new RunBuffer({ retention: Infinity })
    expect(await textsOf(buffer.keep('chat', new Told().tell('a').end()))).toBe('a')
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await textsOf(buffer.events('chat'))).toBe('a')
  })

  it('has failed if something other than an error was thrown', async () => {
    const buffer = new RunBuffer()
    let saved = 0
    const page = buffer.keep('chat', new Told().tell('a').end(null), { onEnd: () => void saved++ })
    await page.next()
    await expect(page.next()).rejects.toBeNull()
    await expect(textsOf(buffer.events('chat'))).rejects.toBeNull()
    expect(saved).toBe(0)
  })

  it('is forgotten some time behind its end', async () => {
    const buffer = new RunBuffer({ retention: 0.01 })
    expect(await textsOf(buffer.keep('chat', new Told().tell('a').end()))).toBe('a')
    await expect.poll(() => buffer.events('chat')).toBeNull()
  })
})

describe('the memory of a buffer', () => {
  it('has the newest runs: older ones end with their pages', async () => {
    const buffer = new RunBuffer({ maxLength: 3000 })
    const long = 'x'.repeat(1000)
    const [read, unread, newest] = [new Told().tell(long), new Told().tell(long), new Told()]
    const reading = buffer.keep('read', read)
    await buffer.keep('unread', unread).return!()
    await expect.poll(() => unread.asked).toBe(2)
    expect((await buffer.events('unread')!.next()).done).toBe(false)
    buffer.keep('newest', newest)
    newest.tell(long, long)
    await expect.poll(() => [buffer.events('read'), buffer.events('unread')]).toEqual([null, null])
    read.tell('b').end()
    expect(await textsOf(reading)).toBe(`${long}b`)
    expect(read.isLeft).toBe(false)
    newest.end()
    expect(await textsOf(buffer.events('newest'))).toBe(long + long)
  })

  it('holds a run that is too long no longer than its page reads, and stops it when that goes away', async () => {
    const buffer = new RunBuffer({ maxLength: 1000 })
    const run = new Told().tell(...Array.from({ length: 100 }, () => 'x'.repeat(500)))
    const reading = buffer.keep('chat', run)
    await expect.poll(() => buffer.events('chat')).toBeNull()
    // Two events fit; the third has to be asked for.
    expect(run.asked).toBeLessThan(5)
    expect((await some(reading, 10)).length).toBe(5000)
    expect(run.asked).toBeLessThan(15)
    await reading.return!()
    expect(run.isLeft).toBe(true)
  })

  it('has one run of a key: a new one ends an earlier one that nobody reads', async () => {
    const buffer = new RunBuffer()
    const [first, second] = [new Told().tell('a'), new Told().tell('b')]
    await buffer.keep('chat', first).return!()
    const reading = buffer.keep('chat', second.end())
    expect(first.isLeft).toBe(true)
    expect(await textsOf(reading)).toBe('b')
  })
})
