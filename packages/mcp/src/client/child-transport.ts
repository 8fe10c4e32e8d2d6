import { deserializeMessage, serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import type { ChildProcess } from 'node:child_process'
import { STREAM_ENDED_CODE } from './http-transport.ts'
import { startServer, stopServer, type ServerCommand } from './server-process.ts'

/** Most characters that are kept of the error output of a server. */
const MAX_ERROR_OUTPUT_LENGTH = 4000

/**
 * Speaks with a server by the stdio of its process. The process leads a process group, so that its children end with it;
 * the transport of the SDK ends the process alone. `pid` and `stderr` tell the SDK that this is stdio.
 */
export class ChildTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage']
  readonly stderr = null
  /** Reason for which this side ended the connection. */
  fault: string | undefined
  readonly #server: ServerCommand
  readonly #lines: LineReader
  readonly #maxMessageBytes: number
  #child: ChildProcess | undefined
  #errors = ''
  #stopping: Promise<void> | undefined
  #closed = false

  constructor(server: ServerCommand, maxMessageBytes: number) {
    this.#server = server
    this.#maxMessageBytes = maxMessageBytes
    this.#lines = new LineReader(maxMessageBytes)
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** How the process ended, and the last part of its error output. */
  get exitReport(): string {
    const { exitCode, signalCode } = this.#child ?? {}
    const end = signalCode ? `ended by ${signalCode}` : typeof exitCode === 'number' ? `exit status ${exitCode}` : ''
    return [end, this.#errors.trim()].filter(Boolean).join('; it wrote: ')
  }

  async start(): Promise<void> {
    const child = await startServer(this.#server)
    this.#child = child
    child.stdout!.on('data', (chunk: Uint8Array) => this.#read(chunk))
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-MAX_ERROR_OUTPUT_LENGTH)
    })
    child.stdin!.on('error', (error) => this.onerror?.(error))
    child.stdout!.on('error', (error) => this.onerror?.(error))
    child.on('error', (error) => this.onerror?.(error))
    // Without its output the server cannot answer, even if the process goes on or another process holds the pipe.
    child.once('exit', () => void this.close())
    child.stdout!.once('end', () => void this.close())
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin
    const notRunning = (cause?: Error): Error => new Error('the server is not running', { cause })
    if (!input?.writable || this.#closed) throw notRunning()
    await new Promise<void>((resolve, reject) => {
      input.write(serializeMessage(message), (error) => (error ? reject(notRunning(error)) : resolve()))
    })
  }

  async close(): Promise<void> {
    if (!this.#child) return
    this.#stopping ??= stopServer(this.#child).finally(() => {
      this.#closed = true
      this.onclose?.()
    })
    await this.#stopping
  }

  #read(chunk: Uint8Array): void {
    if (this.#closed) return
    const lines = this.#lines.take(chunk)
    if (!lines) {
      this.fault = `it sent a message of more than ${this.#maxMessageBytes} bytes`
      void this.close()
      return
    }
    for (const line of lines) {
      if (!line.trim()) continue
      try {
        this.onmessage?.(readMessage(line))
      } catch (error) {
        // Some servers print other text to their output.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }
}

/** Error code for an answer that cannot be used. */
const BROKEN_ANSWER_CODE = -32_603

/**
 * Reads a message from a line. An answer that is not as the protocol has it becomes an error of its request, which would wait
 * for its timeout otherwise; other lines that are no messages throw.
 */
function readMessage(line: string): JSONRPCMessage {
  try {
    const message = deserializeMessage(line)
    // A server must not fake the end of a stream by a code of ours.
    if ('error' in message && message.error.code === STREAM_ENDED_CODE) message.error.code = BROKEN_ANSWER_CODE
    return message
  } catch (error) {
    const { id, method } = (JSON.parse(line) ?? {}) as { readonly id?: unknown; readonly method?: unknown }
    if (method !== undefined || !(typeof id === 'number' || typeof id === 'string')) throw error
    const message = 'its answer is not as the protocol describes it'
    return { jsonrpc: '2.0', id, error: { code: BROKEN_ANSWER_CODE, message } }
  }
}

/** Splits a stream of bytes into lines of at most `maxLineBytes` bytes. */
class LineReader {
  readonly #maxLineBytes: number
  #parts: Uint8Array[] = []
  #bytes = 0

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes
  }

  /** Takes the next bytes, and returns the lines that they complete; false when a line is too long. */
  take(chunk: Uint8Array): string[] | false {
    const lines: string[] = []
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      if (!this.#keep(chunk.subarray(from, end))) return false
      lines.push(this.#flush())
      from = end + 1
    }
    return this.#keep(chunk.subarray(from)) && lines
  }

  #keep(part: Uint8Array): boolean {
    this.#bytes += part.length
    if (this.#bytes > this.#maxLineBytes) return false
    if (part.length > 0) this.#parts.push(part)
    return true
  }

  #flush(): string {
    const decoder = new TextDecoder()
    const line = this.#parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode()
    this.#parts = []
    this.#bytes = 0
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }
}
