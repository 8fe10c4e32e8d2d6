import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { HttpFailure } from './http-failure.ts'

/** Most bytes of a request body, unless its route takes more. */
export const MAX_BODY_BYTES = 65_536

/** Reads the JSON body of a post and checks its shape. */
export async function jsonBody<T>(
  request: IncomingMessage,
  shape: z.ZodType<T>,
  maxBytes: number = MAX_BODY_BYTES,
): Promise<T> {
  if (!/^application\/json(?:;|$)/u.test(request.headers['content-type'] ?? '')) {
    throw new HttpFailure(415, 'the body has to be application/json')
  }
  const parts: Buffer[] = []
  let size = 0
  // Destroying the request would also close the response.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBytes) {
      throw new HttpFailure(413, `the body has more than ${maxBytes} bytes`, { connection: 'close' })
    }
    parts.push(part)
  }
  let body: unknown
  try {
    body = JSON.parse(Buffer.concat(parts).toString())
  } catch {
    throw new HttpFailure(400, 'the body is not JSON')
  }
  const { data, error } = shape.safeParse(body)
  if (error) {
    const [issue] = error.issues
    throw new HttpFailure(400, `the body is wrong at \`${issue?.path.join('.') ?? ''}\`: ${issue?.message ?? ''}`)
  }
  return data
}
