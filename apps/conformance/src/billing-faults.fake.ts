import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterAll, describe, test } from 'vitest'
import type { Cell } from './billing-cell.fake.ts'
import { BILLED_WIRES } from './billing-wires.fake.ts'

/** Milliseconds that the cells of one face of a wire may take; blocking calls wait for real before they send again. */
const WIRE_TIMEOUT_MS = 600_000

/** Work of a thread: all cells of a face of a wire. */
export interface BillingTask {
  readonly wire: string
  readonly face: Cell['face']
}

/**
 * Tests the billing of every fault of every wire in some faces: the faces of a wire at once, or, of a single face, several
 * wires. Each test has a thread, which a blocking call may block; there, an error costs no mapping of its stack either.
 */
export function testBillingFaults(faces: readonly Cell['face'][]): void {
  const idle: Worker[] = []

  async function faultsOf(task: BillingTask): Promise<unknown> {
    const thread = idle.pop() ?? new Worker(new URL('billing-cell-thread.ts', import.meta.url))
    thread.postMessage(task)
    const [faults] = (await once(thread, 'message')) as [unknown]
    idle.push(thread)
    return faults
  }

  afterAll(async () => void (await Promise.all(idle.map(async (thread) => await thread.terminate()))))

  describe.each(BILLED_WIRES.map(({ name }) => name))('%s', { concurrent: faces.length === 1 }, (wire) => {
    test.concurrent.for(faces)(
      '%s: every fault is counted as it is billed, with each budget, number of retries and connection',
      { timeout: WIRE_TIMEOUT_MS },
      async (face, { expect }) => {
        expect(await faultsOf({ wire, face })).toEqual([])
      },
    )
  })
}
