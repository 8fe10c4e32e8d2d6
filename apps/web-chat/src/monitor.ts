import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { monitoringHandler } from '@x/host'
import type { ChatHost } from './chat-host.ts'

/** Options of {@link startMonitor}. */
export interface MonitorOptions {
  readonly chats: ChatHost
  /** Port; 0: any. Undefined: no monitor. */
  readonly port: number | undefined
  readonly listen: string
  /** Returns the number of pages that watch; absent in workers. */
  readonly pages?: (() => number) | undefined
}

/** Serves `/healthz`, `/readyz` and `/metrics`, for operators and not for pages. Returns the address; empty without a port. */
export async function startMonitor({ chats, port, listen, pages }: MonitorOptions): Promise<string> {
  if (port === undefined) return ''
  addGauges(chats, pages)
  const monitor = monitoringHandler(chats.host)
  const server = createServer((request, response) => {
    if (!monitor(request, response)) response.writeHead(404).end()
  })
  server.listen(port, listen).unref()
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Adds what the host does not know to its metrics: the process, the pages, what is left of the day, and calls that wait for the provider's limits. */
function addGauges({ host, day, limiter }: ChatHost, pages: MonitorOptions['pages']): void {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  host.gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of this process.',
    read: () => process.memoryUsage.rss(),
  })
  host.gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Memory of the objects of this process, with those that are no longer used.',
    read: () => process.memoryUsage().heapUsed,
  })
  host.gauge({
    name: 'nodejs_eventloop_lag_p99_seconds',
    help: 'Time by which the event loop was late, in 99 of 100 cases since the last reading.',
    read() {
      const seconds = delay.percentile(99) / 1e9
      delay.reset()
      return seconds
    },
  })
  if (pages) host.gauge({ name: 'web_chat_pages', help: 'Pages that watch this web server.', read: pages })
  if (day) {
    host.gauge({
      name: 'budget_left_dollars',
      help: 'US dollars that are left of the budget.',
      labels: { budget: 'day' },
      read: async () => (await day.state()).left.cost ?? 0,
    })
  }
  if (limiter?.state) {
    host.gauge({
      name: 'limiter_waiting_calls',
      help: 'Calls of this process that wait for the limits of the provider.',
      read: async () => (await limiter.state!()).reduce((sum, { waiting }) => sum + waiting, 0),
    })
  }
}
