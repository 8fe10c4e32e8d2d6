import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cell, cellsOf, faultsOfCells } from './billing-cell.fake.ts'
import { startBillingServer, type BillingServer } from './billing-server.fake.ts'
import { BILLED_WIRES } from './billing-wires.fake.ts'

/** Milliseconds that the cells of one face of a wire may take; blocking calls wait for real before they send again. */
const WIRE_TIMEOUT_MS = 600_000

/** Tests the billing of every fault of every wire in some faces. They mostly wait, so each face may have a file of its own. */
export function testBillingFaults(faces: readonly Cell['face'][]): void {
  let server: BillingServer

  beforeAll(async () => {
    server = await startBillingServer()
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
  })

  describe.each(BILLED_WIRES.map((wire) => [wire.name, wire] as const))('%s', (_, wire) => {
    test.each(faces)(
      '%s: every fault is counted as it is billed, with each budget, number of retries and connection',
      async (face) => {
        expect(await faultsOfCells(server, cellsOf(face, [wire]))).toEqual([])
      },
      WIRE_TIMEOUT_MS,
    )
  })
}
