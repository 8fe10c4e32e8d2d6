import { deserializeMessage, serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import type { ChildProcess } from 'node:child_process'
import { LineReader } from './line-reader.ts'
import { startServer, stopServer } from './server-process.ts'
import type { ServerCommand } from './server-command.ts'

/** Characters kept of what a server last wrote to its error output. */
const ERROR_OUTPUT = 4000

/**
 * Speaks with a server by the input and output of its process. The process leads a group of its own: what it has started
 * ends with it. (The SDK's transport ends the process alone.) `pid` and `stderr` say to the SDK that this is stdio.
 */
export class ChildTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage']
  readonly stderr = null
  /** Why the connection ended, where it was this side that ended it. */
  fault: string | undefined
  readonly #server: ServerCommand
  readonly #lines: LineReader
  readonly #longest: number
  #child: ChildProcess | undefined
  #errors = ''
  #stopping: Promise<void> | undefined
  #closed = false

  constructor(server: ServerCommand, longest: number) {
    this.#server = server
    this.#longest = longest
    this.#lines = new LineReader(longest)
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** The end of what the server wrote to its error output, and how its process ended. */
  get lastWords(): string {
    const { exitCode, signalCode } = this.#child ?? {}
    const end = signalCode ? `ended by ${signalCode}` : typeof exitCode === 'number' ? `exit status ${exitCode}` : ''
    return [end, this.#errors.trim()].filter(Boolean).join('; it wrote: ')
  }

  async start(): Promise<void> {
    const child = await startServer(this.#server)
    this.#child = child
    child.stdout!.on('data', (chunk: Uint8Array) => this.#read(chunk))
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-ERROR_OUTPUT)
    })
    child.stdin!.on('error', (error) => this.onerror?.(error))
    child.stdout!.on('error', (error) => this.onerror?.(error))
    child.on('error', (error) => this.onerror?.(error))
    // Without its output nothing can be answered, even if the process goes on, or another one holds the pipe.
    child.once('exit', () => void this.close())
    child.stdout!.once('end', () => void this.close())
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin
    const dead = (cause?: Error): Error => new Error('the server is not running', { cause })
    if (!input?.writable || this.#closed) throw dead()
    await new Promise<void>((resolve, reject) => {
      input.write(serializeMessage(message), (error) => (error ? reject(dead(error)) : resolve()))
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
      this.fault = `it sent a message of more than ${this.#longest} bytes`
      void this.close()
      return
    }
    for (const line of lines) {
      if (!line.trim()) continue
      try {
        this.onmessage?.(deserializeMessage(line))
      } catch (error) {
        // Some servers print to where they speak.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }
}
