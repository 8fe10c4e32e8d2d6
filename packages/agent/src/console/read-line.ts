import { XError } from '@x/kernel'

/** Asks at the terminal and reads a line, or one of a pipe or a file; fails with `end-of-input` when there are no more. */
export async function readLine(
  prompt: string,
  { agent, signal }: { readonly agent?: string | undefined; readonly signal?: AbortSignal | undefined },
): Promise<string> {
  if (!hasTerminal()) throw endOfInput(agent)
  const line = await (process.stdin.isTTY ? readTyped(prompt, signal) : readPiped(prompt, signal))
  if (line === undefined) throw endOfInput(agent)
  return line
}

/** Reads a line while everything waits. */
export function readLineNow(prompt: string, { agent }: { readonly agent?: string | undefined }): string {
  if (!hasTerminal()) throw endOfInput(agent)
  const { readSync, writeSync } = process.getBuiltinModule('node:fs')
  writeSync(1, prompt)
  const byte = new Uint8Array(1)
  const bytes: number[] = []
  for (;;) {
    let read: number
    try {
      read = readSync(0, byte, 0, 1, null)
    } catch (error) {
      // A terminal without a line yet says EAGAIN; the end of a pipe says EOF.
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') continue
      if ((error as NodeJS.ErrnoException).code !== 'EOF') throw error
      read = 0
    }
    if (read === 0 && bytes.length === 0) throw endOfInput(agent)
    if (read === 0 || byte[0] === LINE_FEED_BYTE) break
    bytes.push(byte[0]!)
  }
  return decoded(Uint8Array.from(bytes))
}

/** Browsers and workers have no terminal. */
const hasTerminal = (): boolean => Boolean(globalThis.process?.stdin)

const LINE_FEED_BYTE = 10

const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).replace(/\r$/u, '')

const endOfInput = (agent: string | undefined): XError =>
  new XError(
    'end-of-input',
    `${agent === undefined ? 'a human' : `the human beside \`${agent}\``} was asked at the console, and the input has ended, as in CI, in a container or with \`</dev/null\`: set \`humanInputMode: 'NEVER'\` (for \`run\`: \`userInput: false\`), or give the agent an \`io\` whose \`input\` answers`,
    { details: { agent: agent ?? null } },
  )

/** A line that a person types; `undefined` when the terminal was closed instead. */
async function readTyped(prompt: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  const { createInterface } = process.getBuiltinModule('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const { promise: closed, resolve } = Promise.withResolvers<undefined>()
  terminal.once('close', () => resolve(undefined))
  // The terminal is in raw mode meanwhile: Ctrl-C has to be what it is at other times.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    return await Promise.race([terminal.question(prompt, signal ? { signal } : {}), closed])
  } finally {
    terminal.close()
  }
}

/**
 * The next line of a pipe or a file; `undefined` at its end. What was read behind the line goes back, for the next
 * question, whoever asks it.
 */
async function readPiped(prompt: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  const { stdin, stdout } = process
  stdout.write(prompt)
  signal?.throwIfAborted()
  if (stdin.readableEnded || stdin.destroyed) return undefined
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const pieces: Uint8Array[] = []
  const line = (): string => decoded(Buffer.concat(pieces))
  const read = (): void => {
    for (;;) {
      const chunk = stdin.read() as Uint8Array | string | null
      if (chunk === null) return
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      const end = bytes.indexOf(LINE_FEED_BYTE)
      pieces.push(end === -1 ? bytes : bytes.subarray(0, end))
      if (end === -1) continue
      stdin.off('readable', read)
      if (end + 1 < bytes.length) stdin.unshift(bytes.subarray(end + 1))
      resolve(line())
      return
    }
  }
  const ended = (): void => resolve(pieces.length > 0 ? line() : undefined)
  const aborted = (): void => reject(signal!.reason as Error)
  stdin.on('readable', read).once('end', ended).once('close', ended).once('error', reject)
  signal?.addEventListener('abort', aborted, { once: true })
  try {
    return await promise
  } finally {
    stdin.off('readable', read).off('end', ended).off('close', ended).off('error', reject)
    signal?.removeEventListener('abort', aborted)
    // A pipe that stays open must not keep the process alive.
    stdin.pause()
  }
}
