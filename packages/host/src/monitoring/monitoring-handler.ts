import type { Host } from '../host.ts'

/** The part of a request of `node:http` that a monitoring handler reads. */
interface HttpRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
}

/** The part of a response of `node:http` that a monitoring handler writes. */
interface HttpResponse {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body?: string): unknown
}

/** Answers a request for one of its three paths; returns false, and does nothing, for every other path. */
type MonitoringHandler = (request: HttpRequest, response: HttpResponse) => boolean

const PLAIN_TEXT_TYPE = 'text/plain; charset=utf-8'
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Makes a handler of `/healthz`, `/readyz` and `/metrics` for a server of `node:http`; health is answered with 200, or with
 * 503 and the reasons. There is no authentication: use a port that is not open to the public.
 *
 *     createServer((request, response) => void (monitor(request, response) || response.writeHead(404).end())).listen(9090)
 */
export function monitoringHandler(host: Pick<Host, 'health' | 'metrics'>): MonitoringHandler {
  const answers: Readonly<Record<string, () => Promise<[status: number, type: string, body: string]>>> = {
    '/healthz': async () => {
      const { live, reasons } = await host.health()
      return [live ? 200 : 503, PLAIN_TEXT_TYPE, live ? 'live\n' : `${reasons[0]}\n`]
    },
    '/readyz': async () => {
      const { ready, reasons } = await host.health()
      return [ready ? 200 : 503, PLAIN_TEXT_TYPE, ready ? 'ready\n' : `${reasons.join('\n')}\n`]
    },
    '/metrics': async () => [200, METRICS_TYPE, await host.metrics()],
  }
  return (request, response) => {
    const { method = 'GET', url = '' } = request
    const path = url.replace(/[?#].*$/su, '')
    if (!Object.hasOwn(answers, path)) return false
    const send = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
      response.end(method === 'HEAD' ? undefined : body)
    }
    if (method !== 'GET' && method !== 'HEAD') send(405, PLAIN_TEXT_TYPE, 'use GET\n')
    else
      answers[path]!().then(
        (answer) => send(...answer),
        () => send(500, PLAIN_TEXT_TYPE, 'no answer\n'),
      )
    return true
  }
}
