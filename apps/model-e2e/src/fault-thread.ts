import { parentPort } from 'node:worker_threads'
import { refuse, startFaultServer, type Asked } from './fault-server.ts'

// The fault server in a thread of its own, so that a blocking call can reach it.
const server = await startFaultServer({
  broken: refuse(503, { message: 'out of order' }),
  locked: refuse(401, { message: 'bad key sk-canary-0123456789abcdef' }),
  hanging: () => {},
  again: refuse(503, { message: 'at once' }, { 'retry-after': '0' }),
  // What a careless gateway says: everything it was sent, in every place that is read.
  echo: (response, asked) => {
    const said = echoed(asked)
    const error = {
      message: said,
      code: said,
      type: said,
      param: said,
      innererror: { content_filter_result: { said } },
    }
    refuse(418, error, { 'x-request-id': said })(response, asked)
  },
  'echo-text': (response, asked) => void response.writeHead(502, { 'content-type': 'text/html' }).end(echoed(asked)),
  'echo-frame': (response, asked) => {
    response.writeHead(200, { 'content-type': asked.body['stream'] ? 'text/event-stream' : 'application/json' })
    const body = JSON.stringify({ error: { message: echoed(asked), code: echoed(asked), type: echoed(asked) } })
    response.end(asked.body['stream'] ? `data: ${body}\n\n` : body)
  },
})
parentPort!.postMessage(server.baseUrl)

function echoed({ path, headers }: Asked): string {
  return JSON.stringify({ path, headers })
}
