import type { SpanOutcome, XEvent } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { joinSummaries, type RunSummary, SummaryCount } from './run-summary.ts'

const event = (type: string, id: string | null, more: object = {}): XEvent =>
  ({
    type,
    ...(id !== null && { id }),
    parentId: null,
    agent: 'ann',
    recipient: 'bob',
    time: 1,
    message: 'Hello.',
    ...more,
  }) as unknown as XEvent

const begin = (id: string): XEvent => event('chatStart', id)
const end = (id: string, outcome: SpanOutcome, message = `${id} is over`): XEvent =>
  event('chatEnd', id, { outcome, ms: 1, error: outcome === 'error' || outcome === 'aborted' ? { message } : null })

/** Writes each event as a piece of its own, and joins what they say. */
function summaryOf(events: readonly XEvent[], before: RunSummary | null = null): RunSummary {
  const count = new SummaryCount()
  return events.reduce<RunSummary | null>((sum, each) => {
    count.add(each)
    return joinSummaries(sum, JSON.parse(JSON.stringify(count.take(1))) as RunSummary)
  }, before)!
}

describe('the outcome of a run', () => {
  it.each<[string, SpanOutcome | null, string | null, readonly XEvent[]]>([
    ['of a chat that is under way', null, null, [begin('a')]],
    ['of a chat that ended', 'ok', null, [begin('a'), end('a', 'ok')]],
    ['of a second chat that is under way', null, null, [begin('a'), end('a', 'ok'), begin('b')]],
    ['that goes on inside a second chat', null, null, [begin('a'), end('a', 'ok'), begin('b'), event('warning', null)]],
    ['of two chats', 'ok', null, [begin('a'), end('a', 'ok'), begin('b'), end('b', 'ok')]],
    ['of chats at once, one of which runs', null, null, [begin('a'), begin('b'), end('b', 'ok')]],
    [
      'of chats that one stopped',
      'error',
      'b is over',
      [begin('a'), begin('b'), begin('c'), end('a', 'aborted'), end('b', 'error'), end('c', 'aborted')],
    ],
    ['of chats that failed', 'error', 'a is over', [begin('a'), begin('b'), end('a', 'error'), end('b', 'error')]],
    ['that failed while another chat runs', 'error', 'a is over', [begin('a'), begin('b'), end('a', 'error')]],
    ['of chats one of which waits', 'suspended', null, [begin('a'), begin('b'), end('a', 'suspended'), end('b', 'ok')]],
    [
      'of a second attempt',
      'ok',
      null,
      [
        event('modelAttemptStart', 'a'),
        event('modelAttemptEnd', 'a', { outcome: 'error', ms: 1, error: { message: 'busy' }, sendings: 1 }),
        event('modelAttemptStart', 'b'),
        event('modelAttemptEnd', 'b', { outcome: 'ok', ms: 1, error: null, sendings: 1 }),
      ],
    ],
  ])('%s', (_, outcome, error, events) => {
    expect(summaryOf(events)).toMatchObject({ outcome, error })
  })

  it('is that of the process that went on with it', () => {
    const failed = summaryOf([begin('a'), end('a', 'error')])
    expect(summaryOf([event('receivedMessage', null)], failed)).toMatchObject({ outcome: 'error', error: 'a is over' })
    expect(summaryOf([end('a', 'ok')], failed)).toMatchObject({ outcome: 'ok', error: null })
  })
})

it('counts the requests whose price is not known', () => {
  const attempt = (id: string, cost: number | null, usage: object | null = { promptTokens: 1, completionTokens: 1 }) =>
    event('modelAttemptEnd', id, { outcome: 'ok', ms: 1, error: null, sendings: 1, model: 'm', time: 1, cost, usage })
  expect(summaryOf([attempt('a', null), attempt('b', 2), attempt('c', null)]).spent).toMatchObject([
    { calls: 3, cost: 2, unpriced: 2 },
  ])
  const [known] = summaryOf([attempt('a', 0), attempt('b', null, null)]).spent
  expect(known).toMatchObject({ calls: 2, cost: 0 })
  expect(known).not.toHaveProperty('unpriced')
})
