/** Parts of a response that are read. */
export type Readable = Pick<Response, 'text' | 'body' | 'headers'>

/** Text of a body, as far as it was read. */
export interface BodyText {
  readonly text: string
  /** Whether there is more, which was left. */
  readonly cut: boolean
}

/** Reads a body as text until it has more than `most` bytes; the rest is cancelled. */
export async function readText(response: Readable, most: number): Promise<BodyText> {
  return await textOf(response, most, (error) => {
    throw error
  })
}

/** Reads a body as `readText` does; what arrived of one that breaks off is its text. */
export async function readBrokenText(response: Readable, most: number): Promise<string> {
  return (await textOf(response, most, () => {})).text
}

async function textOf(response: Readable, most: number, onBreak: (error: unknown) => void): Promise<BodyText> {
  const { body } = response
  if (!body) return { text: await response.text(), cut: false }
  const decoder = new TextDecoder()
  const bytes = bytesOf(body)
  let text = ''
  let length = 0
  try {
    for (;;) {
      const { done, value } = await bytes.next()
      if (done) break
      length += value.length
      if (length > most) {
        await bytes.return?.()
        return { text: text + decoder.decode(value.subarray(0, most - length + value.length)), cut: true }
      }
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    onBreak(error)
  }
  return { text: text + decoder.decode(), cut: false }
}

/** Returns the pieces of a body; not every platform can iterate over its streams. */
export function bytesOf(body: NonNullable<Response['body']>): AsyncIterator<Uint8Array> {
  if (Symbol.asyncIterator in body) return body[Symbol.asyncIterator]()
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  return {
    next: async () => {
      const { done, value } = await reader.read()
      return done ? { done, value: undefined } : { done: false, value }
    },
    return: async () => {
      await reader.cancel()
      return { done: true, value: undefined }
    },
  }
}
