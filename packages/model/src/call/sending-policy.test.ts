import { XError } from '@x/kernel'
import { describe, expect, test } from 'vitest'
import {
  type FailedOutcome,
  type ModelFailure,
  outcomeOf,
  type SendingFacts,
  type SendingState,
  type SendingStep,
  stepAfter,
} from './sending-policy.ts'

const failure = (kind: ModelFailure['kind'], init: Partial<ModelFailure> = {}): ModelFailure => {
  const { status, details, retryAfterMs } = init
  return new XError('model-failed', 'no', { kind, status, details, retryAfterMs }) as ModelFailure
}
const named = { details: { type: 'x' } }

describe('the account of a request that failed', () => {
  const SENT: SendingFacts = { hasLeft: true, hasReported: true, hasContent: false }
  test.each<[string, unknown, Partial<SendingFacts>, FailedOutcome]>([
    ['it did not leave', failure('connection'), { hasLeft: false }, 'unsent'],
    ['401', failure('auth', { status: 401 }), {}, 'refused'],
    ['403', failure('auth', { status: 403 }), {}, 'refused'],
    ['404', failure('not-found', { status: 404 }), {}, 'refused'],
    ['402', failure('quota', { status: 402 }), {}, 'refused'],
    ['429', failure('rate-limit', { status: 429 }), {}, 'refused'],
    ['400 that names the request', failure('invalid-request', { status: 400, ...named }), {}, 'refused'],
    ['425 that names the request', failure('overloaded', { status: 425, ...named }), {}, 'unknown'],
    ['413 that names the request', failure('context-overflow', { status: 413, ...named }), {}, 'refused'],
    ['400 of a proxy', failure('invalid-request', { status: 400 }), {}, 'unknown'],
    ['400 after content', failure('invalid-request', { status: 400, ...named }), { hasContent: true }, 'unknown'],
    ['408', failure('timeout', { status: 408 }), {}, 'unknown'],
    ['500', failure('server', { status: 500 }), {}, 'unknown'],
    ['502', failure('server', { status: 502 }), {}, 'unknown'],
    ['503 of a proxy', failure('overloaded', { status: 503 }), {}, 'unknown'],
    ['503 of the provider', failure('overloaded', { status: 503, ...named }), {}, 'refused'],
    ['529 of the provider', failure('overloaded', { status: 529, ...named }), {}, 'refused'],
    ['429 of a full queue', failure('overloaded', { status: 429, ...named }), {}, 'refused'],
    ['503 after content', failure('overloaded', { status: 503, ...named }), { hasContent: true }, 'unknown'],
    ['503 about something else', failure('server', { status: 503, ...named }), {}, 'unknown'],
    ['500 that names an overload', failure('overloaded', { status: 500, ...named }), {}, 'unknown'],
    ['an overload inside of an answer', failure('overloaded', named), {}, 'unknown'],
    [
      'an answer with the code of an overload',
      failure('overloaded', { status: 503, details: { type: 'x', inAnswer: true } }),
      {},
      'unknown',
    ],
    ['500 about a key', failure('auth', { status: 500 }), {}, 'unknown'],
    ['301', failure('connection', { status: 301 }), {}, 'unknown'],
    ['a dropped connection', failure('connection'), {}, 'unknown'],
    ['a time limit', failure('timeout'), {}, 'unknown'],
    ['an answer that breaks off', failure('truncated'), {}, 'unknown'],
    ['an error inside of an answer', failure('rate-limit'), {}, 'unknown'],
    ['a refusal of a client that reports nothing', failure('rate-limit'), { hasReported: false }, 'refused'],
    ['an abort', failure('aborted'), {}, 'unknown'],
    ['a caller who left', undefined, {}, 'unknown'],
    ['an error of the client', new TypeError('no'), {}, 'unknown'],
  ])('after %s', (_, error, facts, outcome) => {
    expect(outcomeOf(error, { ...SENT, ...facts })).toBe(outcome)
  })
})

describe('the step after a failed request', () => {
  const FIRST: SendingState = {
    sendings: 1,
    maxRetries: 2,
    maxRetryAfter: 60,
    retryTimeouts: false,
    streamed: false,
    last: true,
    hasContent: false,
    isOpen: false,
    mayRepeatUnsent: true,
    failover: undefined,
    random: () => 0,
  }
  const again = (afterMs: number): SendingStep => ({ step: 'again', afterMs })
  const free: SendingStep = { step: 'again', afterMs: 0, isFree: true }
  const [next, end]: SendingStep[] = [{ step: 'next' }, { step: 'end' }]
  const late = failure('timeout', { details: { clock: 'call' } })
  const repair = failure('invalid-request', { status: 400, details: { askAgain: true } })

  test.each<[string, ModelFailure, FailedOutcome, Partial<SendingState>, SendingStep]>([
    ['overloaded', failure('overloaded'), 'unknown', {}, again(500)],
    ['the second time', failure('overloaded'), 'unknown', { sendings: 2 }, again(1000)],
    ['with chance', failure('overloaded'), 'unknown', { random: () => 0.5 }, again(437.5)],
    ['for the last time', failure('overloaded'), 'unknown', { sendings: 3 }, end!],
    ['without retries', failure('overloaded'), 'unknown', { maxRetries: 0 }, end!],
    ['at most 8 s', failure('server'), 'unknown', { sendings: 9, maxRetries: 9 }, again(8000)],
    ['before another config', failure('overloaded'), 'unknown', { last: false }, next!],
    ['told to stop', failure('overloaded'), 'unknown', { last: false, failover: { overloaded: 'stop' } }, end!],
    ['told to wait', failure('rate-limit', { retryAfterMs: 7 }), 'refused', {}, again(7)],
    ['told to wait too long', failure('rate-limit', { retryAfterMs: 61_000 }), 'refused', {}, end!],
    ['refused', failure('auth'), 'refused', {}, end!],
    ['refused before another config', failure('auth'), 'refused', { last: false }, next!],
    ['told to repeat', failure('invalid-request', { details: { shouldRetry: true } }), 'unknown', {}, again(500)],
    ['told not to repeat', failure('server', { details: { shouldRetry: false } }), 'unknown', {}, end!],
    ['refused for its content', failure('content-filter'), 'refused', { last: false }, end!],
    ['late', late, 'unknown', {}, end!],
    ['late before another config', late, 'unknown', { last: false }, next!],
    ['late, and told to repeat', late, 'unknown', { retryTimeouts: true }, again(500)],
    ['late in a stream', late, 'unknown', { streamed: true }, again(500)],
    ['late before it left', late, 'unsent', {}, again(500)],
    ['timed out at the server', failure('timeout', { status: 408 }), 'unknown', {}, again(500)],
    ['dropped', failure('connection'), 'unknown', {}, again(0)],
    ['dropped again', failure('connection'), 'unknown', { sendings: 2 }, again(1000)],
    ['dropped in the answer', failure('connection', { details: { received: true } }), 'unknown', {}, again(500)],
    ['not sent', failure('connection'), 'unsent', {}, free],
    ['not sent, without retries', failure('connection'), 'unsent', { maxRetries: 0 }, free],
    ['not sent, before another config', failure('connection'), 'unsent', { last: false }, free],
    ['not sent again', failure('connection'), 'unsent', { mayRepeatUnsent: false, maxRetries: 0 }, end!],
    ['repaired', repair, 'refused', {}, again(0)],
    ['repaired before another config', repair, 'refused', { last: false }, again(0)],
    ['repaired too often', repair, 'refused', { sendings: 3 }, end!],
    ['repaired without retries', repair, 'refused', { maxRetries: 0, last: false }, next!],
    ['after content that nobody saw', failure('connection'), 'unknown', { hasContent: true }, end!],
    ['after content, before another config', failure('truncated'), 'unknown', { hasContent: true, last: false }, next!],
    ['after content was seen', failure('connection'), 'unknown', { isOpen: true, last: false }, end!],
    ['stopped', failure('aborted'), 'unknown', { last: false, failover: { aborted: 'next' } }, end!],
  ])('%s', (...[, error, outcome, state, step]) => {
    expect(stepAfter(error, outcome, { ...FIRST, ...state })).toEqual(step)
  })

  test('a config never sends more than 1 + maxRetries requests, whatever fails', () => {
    const kinds = ['overloaded', 'connection', 'timeout', 'invalid-request'] as const
    const details = [undefined, { askAgain: true }, { shouldRetry: true }, { received: true }]
    for (const kind of kinds)
      for (const detail of details)
        for (const maxRetries of [0, 1, 5])
          for (const flag of [true, false]) {
            const state = { ...FIRST, maxRetries, retryTimeouts: flag, last: flag, streamed: flag }
            const error = failure(kind, { details: detail })
            const step = stepAfter(error, 'unknown', { ...state, sendings: maxRetries + 1 })
            expect(step.step).not.toBe('again')
          }
  })
})
