import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cellsOf, faultsOfCells } from './billing-cell.fake.ts'
import { startBillingServer, type BillingServer } from './billing-server.fake.ts'
import { BILLED_WIRES } from './billing-wires.fake.ts'

let server: BillingServer

beforeAll(async () => {
  server = await startBillingServer()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

/** Milliseconds that the cells of one face of a wire may take; blocking calls wait for real before they send again. */
const WIRE_TIMEOUT_MS = 600_000

describe.each(BILLED_WIRES.map((wire) => [wire.name, wire] as const))('%s', (_, wire) => {
  test.each(['complete', 'streamed', 'blocking'] as const)(
    '%s: every fault is counted as it is billed, with each budget, number of retries and connection',
    async (face) => {
      expect(await faultsOfCells(server, cellsOf(face, [wire]))).toEqual([])
    },
    WIRE_TIMEOUT_MS,
  )
})
