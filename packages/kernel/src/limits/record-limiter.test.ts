import { expect, it, onTestFinished, vi } from 'vitest'
import { RecordLimiter } from './record-limiter.ts'
import { MemoryRecords } from './record-updater.ts'

/** Two workers with one limit, in a time of their own. */
function pair() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const records = new MemoryRecords(() => Date.now())
  const limiterOf = (worker: string, change = records.change.bind(records)): RecordLimiter =>
    new RecordLimiter({
      ...{ records: { change }, limits: { m: { inFlight: 1 } }, prefix: '', worker },
      ...{ lease: 30, storeTimeout: 2, whenDown: 'alone', onError() {} },
    })
  return { records, limiterOf }
}

const call = { model: 'm', account: '', tokens: 1 }

it('keeps the call of a worker for as long as it lives', async () => {
  const { limiterOf } = pair()
  const held = await limiterOf('a').acquire(call)
  let come = false
  const waits = Promise.resolve(limiterOf('b').acquire(call)).then(() => (come = true))
  await vi.advanceTimersByTimeAsync(90_000)
  expect(come).toBe(false)
  held.end()
  await vi.advanceTimersByTimeAsync(1000)
  await waits
})

it('asks the store again after a rest, and warns again when it fails again', async () => {
  const { records } = pair()
  const errors: unknown[] = []
  let down = true
  const limiter = new RecordLimiter({
    records: {
      change: (key, change) => {
        if (down) throw new Error('down')
        return records.change(key, change)
      },
    },
    ...{ limits: { m: { inFlight: 1 } }, prefix: '', worker: 'a', lease: 30, storeTimeout: 2, whenDown: 'alone' },
    onError: (error) => void errors.push(error),
  })
  const alone = await limiter.acquire(call)
  await vi.advanceTimersByTimeAsync(6000)
  ;(await limiter.acquire({ ...call, account: 'x' })).end()
  expect(errors.length).toBe(2)
  down = false
  await vi.advanceTimersByTimeAsync(6000)
  const shared = await limiter.acquire(call)
  expect(await limiter.state()).toMatchObject([{ inFlight: 1 }, { account: 'x' }])
  alone.end()
  shared.end()
  down = true
  ;(await limiter.acquire(call)).end()
  expect(errors.length).toBe(3)
})

it('refuses those who wait when it is closed', async () => {
  const { limiterOf } = pair()
  const limiter = limiterOf('a')
  await limiter.acquire(call)
  const waits = expect(limiter.acquire(call)).rejects.toMatchObject({ code: 'invalid-state' })
  limiter.close()
  await waits
  expect(() => limiter.acquire(call)).toThrow('closed')
})

it('gives back the permit of a caller that has left while the store was asked', async () => {
  const { records } = pair()
  const late: (() => void)[] = []
  let isSlow = true
  const limiter = new RecordLimiter({
    records: {
      async change(key, change) {
        if (isSlow) await new Promise<void>((resolve) => late.push(resolve))
        return await records.change(key, change)
      },
    },
    ...{ limits: { m: { inFlight: 1 } }, prefix: '', worker: 'a', lease: 30, storeTimeout: 2, whenDown: 'refuse' },
    onError() {},
  })
  const stop = new AbortController()
  const asked = expect(limiter.acquire(call, { signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' })
  stop.abort()
  await asked
  isSlow = false
  for (const hear of late.splice(0)) hear()
  await vi.advanceTimersByTimeAsync(0)
  expect(await limiter.state()).toMatchObject([{ requests: 0, inFlight: 0 }])
})

it('counts nothing for a question that was given up and is heard late', async () => {
  const { records } = pair()
  const late: (() => void)[] = []
  let isSlow = true
  const limiter = new RecordLimiter({
    records: {
      async change(key, change) {
        if (isSlow) await new Promise<void>((resolve) => late.push(resolve))
        return await records.change(key, change)
      },
    },
    ...{ limits: { m: { requests: 100 } }, prefix: '', worker: 'a', lease: 30, storeTimeout: 2, whenDown: 'alone' },
    onError() {},
  })
  const asked = limiter.acquire(call)
  await vi.advanceTimersByTimeAsync(3000)
  const permit = await asked
  isSlow = false
  for (const hear of late.splice(0)) hear()
  await vi.advanceTimersByTimeAsync(0)
  expect(await limiter.state()).toMatchObject([{ requests: 0, inFlight: 0 }])
  permit.end()
  await vi.advanceTimersByTimeAsync(6000)
  const shared = await limiter.acquire(call)
  expect(await limiter.state()).toMatchObject([{ requests: 1, inFlight: 1 }])
  shared.end()
})
