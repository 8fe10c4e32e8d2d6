import type { Socket } from 'node:net'
import { parentPort } from 'node:worker_threads'
import { servePort, type Bill, type BillingOrder, type ProviderPlan } from './billing-server.fake.ts'
import { BILLED_WIRES } from './billing-wires.fake.ts'
import { healthyAnswer, WIRE_FAULTS } from './billing-table.fake.ts'

/** A port, and what waits for its requests. */
interface Port {
  readonly bill: Bill
  readonly sockets: ReadonlySet<Socket>
  readonly stop: () => void
  waiting: { readonly count: number; readonly resolve: () => void }[]
}

const ports = new Map<number, Port>()

async function open({ wire, fault, healthyCount }: ProviderPlan): Promise<number> {
  const { format } = BILLED_WIRES.find(({ name }) => name === wire)!
  const { [fault]: played } = WIRE_FAULTS
  const { server, port, bill, sockets } = await servePort(
    format,
    (request) => {
      if (request.index < healthyCount) return { steps: healthyAnswer(request), isBilled: true, isUnknown: false }
      const { billedAs } = played!
      const outcome = typeof billedAs === 'function' ? billedAs(request) : billedAs
      const isUnknown = outcome === 'unknown'
      return { steps: played!.steps(request), isBilled: isUnknown || outcome === 'answered', isUnknown }
    },
    () => {
      for (const { count, resolve } of ports.get(port)!.waiting) if (bill.requests >= count) resolve()
    },
  )
  ports.set(port, { bill, sockets, stop: () => server.close(), waiting: [] })
  return port
}

/** Waits until a port has read so many requests. */
async function read(port: number, count: number): Promise<void> {
  const { bill, waiting } = ports.get(port)!
  if (bill.requests < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }))
}

/** Longest time for which a request that has left may be on its way. */
const ARRIVAL_TIMEOUT_MS = 1000

async function close(port: number, count: number): Promise<Bill> {
  const { bill, sockets, stop } = ports.get(port)!
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ARRIVAL_TIMEOUT_MS)))
  await Promise.race([read(port, count), late])
  clearTimeout(timer)
  stop()
  for (const socket of sockets) socket.destroy()
  ports.delete(port)
  return { ...bill }
}

async function obey(order: BillingOrder): Promise<unknown> {
  if ('open' in order) return await open(order.open)
  if ('read' in order) return await read(order.read.port, order.read.count)
  return await close(order.close.port, order.close.count)
}

parentPort!.on('message', (order: BillingOrder) => {
  void obey(order).then((answer) => parentPort!.postMessage({ id: order.id, answer }))
})
