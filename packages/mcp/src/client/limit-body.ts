import { XError } from '@x/kernel'

/** Makes a response end with an error when one message in it, a whole body or one event of a stream, is too long. */
export function limitBody(response: Response, mostBytes: number): Response {
  if (!response.body) return response
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
  let bytes = 0
  let lastWasBreak = false
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (const byte of isStream ? chunk : []) {
        if (byte === 13) continue
        const isBreak = byte === 10
        bytes = isBreak && lastWasBreak ? 0 : bytes + 1
        lastWasBreak = isBreak
        if (bytes > mostBytes) break
      }
      if (!isStream) bytes += chunk.length
      if (bytes > mostBytes) controller.error(tooLong(mostBytes))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers })
}

const tooLong = (most: number): XError =>
  new XError('connection-failed', `the server sent a message of more than ${most} bytes`)
