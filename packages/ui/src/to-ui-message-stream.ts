import type { XEvent } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { signingKinds, type Signer, signerOf, type UiSigning } from './signature.ts'
import type { UiError, UiMessageChunk } from './ui-message-chunk.ts'
import { UiMessageWriter, type UiMessageWriting } from './ui-message-writer.ts'

/** Options of `toUiMessageStream`. */
export interface UiStreamOptions extends UiMessageWriting, UiSigning {}

/** The events of a run: a stream of an agent, or what `host.events` gives. */
export type RunEvents = AsyncIterable<XEvent | Logged>

/** An event in the log of a hosted chat. */
export interface Logged {
  readonly cursor: string
  readonly event: XEvent
}

/**
 * Writes the events of a run as chunks of one message for `useChat` of the AI SDK (protocol `v1`). The run waits for its reader,
 * and leaving the loop stops it. A run that fails ends the message with a chunk `error`, one that is stopped with `abort`; neither
 * fails the reader. Of a hosted chat the message ends when the chat has ended or waits for a decision.
 */
export function toUiMessageStream(
  events: RunEvents,
  options: UiStreamOptions = {},
): AsyncIterableIterator<UiMessageChunk> {
  checkOptions(options, KINDS, 'write the message of a run')
  return new UiMessageStream(events[Symbol.asyncIterator](), options)
}

class UiMessageStream implements AsyncIterableIterator<UiMessageChunk> {
  readonly #source: AsyncIterator<XEvent | Logged>
  readonly #signer: Signer | null
  readonly #writer: UiMessageWriter
  readonly #onEnd: UiStreamOptions['onEnd']
  readonly #ready: UiMessageChunk[] = []
  #hasEnded = false
  /** The answer to the reader before: one that asks for several chunks gets them in their order. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(source: AsyncIterator<XEvent | Logged>, options: UiStreamOptions) {
    this.#source = source
    this.#signer = signerOf(options)
    this.#writer = new UiMessageWriter(options)
    this.#onEnd = options.onEnd
  }

  async next(): Promise<IteratorResult<UiMessageChunk>> {
    const asked = this.#last.then(async () => await this.#next())
    this.#last = asked.catch(ignore)
    return await asked
  }

  return(): Promise<IteratorResult<UiMessageChunk>> {
    this.#ready.length = 0
    if (!this.#hasEnded) this.#leave()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async #next(): Promise<IteratorResult<UiMessageChunk>> {
    while (this.#ready.length === 0 && !this.#hasEnded) {
      // eslint-disable-next-line no-await-in-loop -- the next chunk may be several events away
      for (const chunk of await this.#read()) {
        // eslint-disable-next-line no-await-in-loop -- questions are few
        const signed = await signedChunk(chunk, this.#signer)
        if (signed) this.#ready.push(signed)
      }
    }
    const value = this.#ready.shift()
    return value ? { done: false, value } : { done: true, value: undefined }
  }

  async #read(): Promise<UiMessageChunk[]> {
    let item: IteratorResult<XEvent | Logged>
    try {
      item = await this.#source.next()
    } catch (error) {
      this.#hasEnded = true
      return this.#writer.end(errorOf(error))
    }
    if (item.done) return await this.#end()
    const { value } = item
    if ('type' in value) return this.#writer.add(value, null)
    const chunks = this.#writer.add(value.event, value.cursor)
    // The log goes on behind the decision.
    if (!this.#writer.isWaiting) return chunks
    this.#leave()
    return [...chunks, ...(await this.#end())]
  }

  async #end(): Promise<UiMessageChunk[]> {
    this.#hasEnded = true
    try {
      if (this.#writer.isSound) await this.#onEnd?.()
    } catch (error) {
      return this.#writer.end(errorOf(error))
    }
    return this.#writer.end(null)
  }

  #leave(): void {
    this.#hasEnded = true
    // A generator answers when its `next` does: nobody waits for that.
    void Promise.resolve(this.#source.return?.()).catch(ignore)
  }
}

const KINDS: OptionKinds<UiStreamOptions> = {
  ...signingKinds,
  messageId: kind.text,
  continues: kind.object,
  reasoning: kind.flag,
  agents: kind.flag,
  errorText: kind.call,
  onEnd: kind.call,
}

const ignore = (): void => undefined

/** Signs a question to the page. Without a secret the page is not asked. */
async function signedChunk(chunk: UiMessageChunk, signer: Signer | null): Promise<UiMessageChunk | null> {
  if (chunk.type === 'tool-approval-request' && !chunk.isAutomatic) {
    return signer && { ...chunk, signature: await signer.sign(chunk.approvalId) }
  }
  if (chunk.type === 'tool-approval-response' && !signer && chunk.approvalId.includes('/')) return null
  const approvalId = chunk.type === 'tool-input-available' ? chunk.toolMetadata['approvalId'] : undefined
  if (chunk.type !== 'tool-input-available' || approvalId === undefined || !signer) return chunk
  return { ...chunk, toolMetadata: { ...chunk.toolMetadata, signature: await signer.sign(approvalId) } }
}

function errorOf(error: unknown): UiError {
  const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown }
  const isAborted = name === 'AbortError'
  return { code: isAborted ? 'aborted' : typeof code === 'string' ? code : null, message: String(message ?? error) }
}
