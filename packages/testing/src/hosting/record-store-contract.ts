import type { RecordStore } from '@x/interfaces'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import type { HostingContract } from './hosting-contract.ts'

/** Adds a test that runs on a new, empty record store. */
type Check = (title: string, use: (records: RecordStore) => Promise<void>) => void

/** Checks that changes of records are made as a whole, one after another. */
export function recordStoreContract({ describe, test, expect }: ContractRunner, contract: HostingContract): void {
  const check: Check = (title, use) =>
    test(title, async () => {
      const backend = await contract.create()
      try {
        await use(backend.records)
      } finally {
        await backend.close()
      }
    })
  describe(`record store contract: ${contract.name}`, () => {
    checkValues(check, expect)
    checkChanges(check, expect)
  })
}

/** Checks that records keep values, and keep them apart. */
function checkValues(check: Check, expect: ContractRunner['expect']): void {
  check('reads a written value, and undefined for a key without a record', async (records) => {
    expect(await read(records, 'a')).toBe(undefined)
    for (const value of RECORD_VALUES) {
      await write(records, 'a', value)
      expect(JSON.stringify(await read(records, 'a'))).toBe(JSON.stringify(value))
    }
  })

  check('deletes a record, which may be written again', async (records) => {
    await write(records, 'a', 1)
    await write(records, 'a', undefined)
    expect(await read(records, 'a')).toBe(undefined)
    await write(records, 'a', undefined)
    await write(records, 'a', 2)
    expect(await read(records, 'a')).toBe(2)
  })

  check('tells keys apart', async (records) => {
    const keys = ['a', 'A', 'a:b', 'a b', '{a}', 'é', '__proto__', 'x'.repeat(300)]
    for (const [index, key] of keys.entries()) await write(records, key, index)
    const numbers = await Promise.all(keys.map(async (key) => await read(records, key)))
    expect(numbers).toEqual(keys.map((_, index) => index))
  })
}

/** Checks that a change is made as a whole or not at all. */
function checkChanges(check: Check, expect: ContractRunner['expect']): void {
  check('loses none of many changes at once', async (records) => {
    const add = async (): Promise<number> =>
      await records.change('sum', (value) => {
        const next = ((value as number | undefined) ?? 0) + 1
        return { value: next, answer: next }
      })
    const seen = await Promise.all(Array.from({ length: 40 }, add))
    expect(new Set(seen).size).toBe(40)
    expect(await read(records, 'sum')).toBe(40)
  })

  check('changes nothing where the change fails', async (records) => {
    await write(records, 'a', [1])
    const failing = async (): Promise<unknown> =>
      await records.change('a', () => {
        throw new Error('no change')
      })
    let message = ''
    try {
      await failing()
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toBe('no change')
    expect(await read(records, 'a')).toEqual([1])
  })

  check('gives a clock of milliseconds since 1970 that does not go back', async (records) => {
    const time = async (): Promise<number> => await records.change('t', (value, now) => ({ value, answer: now }))
    const first = await time()
    expect(Number.isFinite(first) && first > YEAR_2001_MS).toBe(true)
    expect((await time()) >= first).toBe(true)
  })
}

const read = async (records: RecordStore, key: string): Promise<unknown> =>
  await records.change(key, (value) => ({ value, answer: value }))
const write = async (records: RecordStore, key: string, next: unknown): Promise<void> =>
  await records.change(key, () => ({ value: next, answer: undefined }))

/** A time that has passed in milliseconds, and is far off in seconds. */
const YEAR_2001_MS = 1e12

const RECORD_VALUES: readonly unknown[] = [
  { z: 1, a: [1.5, null, 'nul \u0000 half \ud800'] },
  [],
  0,
  false,
  'text',
  { 2: 1, 1: 2 },
]
