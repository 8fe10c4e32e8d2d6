import { afterAll, beforeAll, test } from 'vitest'
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

const TABLES = BILLED_WIRES.flatMap((wire, index) =>
  (['complete', 'streamed'] as const).map((face) => [wire.name, face, wire, index] as const),
)

// A fault meets each budget, number of retries and connection at one wire or another; `billing-faults.test.ts` has half of all cells, and all with `BILLING=whole`.
test.concurrent.for(TABLES)(
  '%s, %s: every fault is counted as it is billed',
  async ([, face, wire, index], { expect }) => {
    const cells = cellsOf(face, [wire]).filter((_, at) => (at + (at >> 3) * 3 + index) % 8 === 0)
    expect(await faultsOfCells(server, cells)).toEqual([])
  },
)
