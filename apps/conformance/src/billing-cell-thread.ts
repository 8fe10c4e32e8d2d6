import { forbidNetwork } from '@x/testing'
import { parentPort } from 'node:worker_threads'
import { cellsOf, faultsOfCells, halfOf } from './billing-cell.fake.ts'
import type { BillingTask } from './billing-faults.fake.ts'
import { startBillingServer } from './billing-server.fake.ts'
import { BILLED_WIRES } from './billing-wires.fake.ts'

parentPort!.on('message', (task: BillingTask) => void run(task))

const network = forbidNetwork()
const server = startBillingServer()

/** Runs cells of a face of a wire, all of them with `BILLING=whole`, and sends everything that is wrong in them. An error ends the thread. */
async function run({ wire, face }: BillingTask): Promise<void> {
  const wires = BILLED_WIRES.filter(({ name }) => name === wire)
  const cells = cellsOf(face, wires)
  const faults = await faultsOfCells(await server, process.env['BILLING'] === 'whole' ? cells : halfOf(cells))
  network.assertUntouched()
  parentPort!.postMessage(faults)
}
