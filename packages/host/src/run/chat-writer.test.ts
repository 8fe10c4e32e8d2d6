import type { EventLog, JournalEntry, XEvent } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { ChatWriter } from './chat-writer.ts'
import type { TurnStop } from './turn-stop.ts'

const CLAIM = { id: 'a', epoch: 1 }
const ENVELOPE = { runId: 'a', seq: 0, time: 1, chatId: '1', agentPath: ['clerk'], parentId: '1.1.span0' } as const
const piece = (text: string, index = 0): XEvent => ({ ...ENVELOPE, type: 'textDelta', agent: 'clerk', index, text })
const warning = (text: string): XEvent => ({ ...ENVELOPE, type: 'warning', agent: null, text, topic: 't' })
const entry: JournalEntry = { seq: 0, place: '1.0', kind: 'model', value: 'x', checksum: '00000000' }

/** A writer to a log in memory; each write is one list. */
function writing(isFollowed = false) {
  const written: (readonly XEvent[] | 'entry')[] = []
  const stops: TurnStop[] = []
  const log = {
    async append(_: unknown, added: readonly XEvent[]) {
      written.push(added)
      return { followed: isFollowed }
    },
  }
  const store = {
    append(_: unknown, entries: readonly JournalEntry[], before: readonly XEvent[]) {
      if (before.length > 0) written.push(before)
      written.push(...entries.map(() => 'entry' as const))
      return { heard: 0 }
    },
    finish: () => true,
  }
  const backend = { events: log as unknown as EventLog, store: store as never }
  return { writer: new ChatWriter(backend, CLAIM, (stop) => stops.push(stop)), written, stops, log, store }
}

describe('the writer of a chat', () => {
  it('buffers the pieces of an answer that nobody follows until another event or entry comes', async () => {
    const { writer, written } = writing()
    for (const text of ['It ', 'came ', 'broken.']) writer.add(piece(text))
    expect(writer.isBuffering).toBe(true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(written).toEqual([])
    await writer.append(entry)
    expect(written).toEqual([[piece('It came broken.')], 'entry'])
    expect(writer.isBuffering).toBe(false)
  })

  it('writes its buffer when somebody follows the chat, and then every piece after a short delay', async () => {
    const { writer, written } = writing(true)
    writer.add(piece('It '))
    writer.add(piece('came '))
    writer.follow()
    await writer.flush()
    expect(written).toEqual([[piece('It came ')]])
    writer.add(piece('broken.'))
    expect(writer.isBuffering).toBe(false)
    await writer.flush()
    expect(written).toEqual([[piece('It came ')], [piece('broken.')]])
  })

  it('writes other events after a short delay, with the pieces before them', async () => {
    const { writer, written } = writing()
    writer.add(piece('It came '))
    writer.add(warning('late'))
    expect(writer.isBuffering).toBe(false)
    writer.add(piece('broken.'))
    await writer.flush()
    expect(written).toEqual([[piece('It came '), warning('late'), piece('broken.')]])
  })

  it('joins the pieces of one text, one reasoning or one call, with the number and time of the first', async () => {
    const { writer, written } = writing()
    let n = 0
    const event = (fields: object): XEvent =>
      ({ ...ENVELOPE, seq: n, time: 100 + n++, agent: 'clerk', index: 0, ...fields }) as unknown as XEvent
    const call = { type: 'toolInputDelta', call: 0, callId: 'c', name: 'pay' }
    const pieces = [
      event({ type: 'answerBegin', responseId: 'r', model: 'm' }),
      event({ type: 'reasoningDelta', text: 'Is ' }),
      event({ type: 'reasoningDelta', text: 'it?' }),
      event({ type: 'textDelta', text: 'It ' }),
      event({ type: 'textDelta', text: 'is.' }),
      event({ type: 'textDelta', text: 'No', index: 1 }),
      event({ type: 'textWasReasoning', index: 1 }),
      event({ ...call, text: '' }),
      event({ ...call, text: '{"euros"' }),
      event({ ...call, text: ':5}' }),
      event({ ...call, text: '{', call: 1 }),
      event({ ...call, text: '}', call: 1, callId: 'd' }),
      event({ type: 'textDelta', text: 'a' }),
      event({ type: 'textDelta', text: 'b', agent: 'other' }),
      event({ type: 'textDelta', text: 'c', chatId: '1.2' }),
      event({ type: 'textDelta', text: 'd', chatId: '1.2', parentId: '1.2.span0' }),
    ]
    for (const each of pieces) writer.add(each)
    expect(writer.isBuffering).toBe(true)
    await writer.flush()
    const told = written
      .flat()
      .map((each) => (each === 'entry' ? each : [each.seq, each.time, 'text' in each ? each.text : null]))
    expect(told).toEqual([
      [0, 100, null],
      [1, 101, 'Is it?'],
      [3, 103, 'It is.'],
      [5, 105, 'No'],
      [6, 106, null],
      [7, 107, '{"euros":5}'],
      [10, 110, '{'],
      [11, 111, '}'],
      [12, 112, 'a'],
      [13, 113, 'b'],
      [14, 114, 'c'],
      [15, 115, 'd'],
    ])
  })

  it('bounds the number of buffered pieces that cannot be joined', () => {
    const { writer } = writing()
    for (let n = 0; n < 1000; n++) writer.add(piece('x', n % 2))
    expect(writer.isBuffering).toBe(false)
    writer.drop()
  })

  it('batches entries that come during a write, behind the events before them', async () => {
    const written: string[] = []
    const began = Promise.withResolvers<void>()
    const done = Promise.withResolvers<void>()
    const store = {
      async append(_: unknown, entries: readonly JournalEntry[], before: readonly XEvent[]) {
        written.push(`${before.length} before ${entries.map(({ seq }) => seq).join()}`)
        began.resolve()
        await done.promise
        return true
      },
    }
    const writer = new ChatWriter({ events: {} as EventLog, store: store as never }, CLAIM, () => {})
    const answers = [writer.append(entry)]
    await began.promise
    answers.push(writer.append({ ...entry, seq: 1 }))
    writer.add(warning('of the third'))
    for (let seq = 2; seq < 102; seq++) answers.push(writer.append({ ...entry, seq }))
    done.resolve()
    expect(new Set(await Promise.all(answers))).toEqual(new Set([true]))
    const most = Array.from({ length: 100 }, (_, index) => index + 1).join()
    expect(written).toEqual(['0 before 0', `1 before ${most}`, '0 before 101'])
  })

  it('writes a deferred entry with the next one, in a flush or before the end, and every entry in its order', async () => {
    const written: unknown[] = []
    const store = {
      async append(_: unknown, entries: readonly JournalEntry[], before: readonly XEvent[]) {
        written.push([before.length, ...entries.map(({ seq }) => seq)])
        return { heard: 0 }
      },
      finish: () => written.push('end') > 0,
    }
    const writer = new ChatWriter({ events: {} as EventLog, store: store as never }, CLAIM, () => {})
    let seq = 0
    const next = (): JournalEntry => ({ ...entry, seq: seq++ })
    writer.defer(next())
    writer.add(warning('behind the first'))
    await writer.append(next())
    const first = writer.append(next())
    const second = writer.append(next())
    writer.defer(next())
    await Promise.all([first, second])
    writer.defer(next())
    expect(await writer.flush()).toBe(true)
    writer.defer(next())
    expect(await writer.finish({ state: 'done', value: 1 })).toBe(true)
    expect(written).toEqual([[1, 0, 1], [0, 2, 3, 4], [0, 5], [0, 6], 'end'])
  })

  it('writes nothing after events that could not be written', async () => {
    const { writer, written, stops, log } = writing()
    const append = log.append.bind(log)
    log.append = async () => {
      log.append = append
      throw new Error('the disk is full')
    }
    writer.add(warning('one'))
    const flushed = writer.flush()
    const kept = writer.append(entry)
    await expect(flushed).rejects.toThrow('the disk is full')
    await expect(kept).rejects.toThrow('the disk is full')
    writer.add(warning('two'))
    await expect(writer.finish({ state: 'done', value: 1 })).rejects.toThrow('the disk is full')
    expect(written).toEqual([])
    expect(stops).toMatchObject([{ why: 'failure', error: { message: 'the disk is full' } }])
  })

  it('reports that its claim has ended, and writes nothing more', async () => {
    const { writer, written, stops, store } = writing()
    store.append = () => null as never
    expect([await writer.append(entry), await writer.flush()]).toEqual([false, false])
    expect(written).toEqual([])
    expect(stops).toEqual([{ why: 'lost' }])
  })

  it('keeps the order of events and entries, however slow the log is', async () => {
    const { writer, written } = writing()
    writer.add(warning('one'))
    const writes = [writer.flush(), writer.append(entry)]
    writer.add(warning('two'))
    await Promise.all([...writes, writer.flush()])
    expect(
      written.flatMap((each) => (each === 'entry' ? [each] : each.map((event) => 'text' in event && event.text))),
    ).toEqual(['one', 'two', 'entry'])
  })
})
