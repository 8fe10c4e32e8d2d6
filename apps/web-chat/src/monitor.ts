import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitoringHandler, type Host } from '@x/host'

/**
 * Serves `/healthz`, `/readyz` and `/metrics` on a port of 127.0.0.1, for operators and not for pages; 0 is any port. Returns
 * the address; empty without a port.
 */
export async function startMonitor(host: Host, port: number | undefined): Promise<string> {
  if (port === undefined) return ''
  const monitor = monitoringHandler(host)
  const server = createServer((request, response) => {
    if (!monitor(request, response)) response.writeHead(404).end()
  })
  server.listen(port, '127.0.0.1').unref()
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
