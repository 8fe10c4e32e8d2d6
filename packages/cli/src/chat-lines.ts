import { createInterface, type Interface } from 'node:readline'
import { setTimeout as after } from 'node:timers/promises'

/** Milliseconds in which a terminal hands over what was typed before a question. */
const AHEAD_MS = 30

/** A source of lines: they are typed, or come from a pipe. */
export interface LineSource {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  /** Hears Ctrl-C while a line is edited: the terminal sends no signal then. */
  readonly onInterrupt: () => void
}

/**
 * Reads line by line. At a terminal a line is edited, with a history, only while one is asked for: between questions
 * Ctrl-C is a signal, and typed text waits. A pipe is read as it comes.
 */
export class Lines {
  readonly #source: LineSource
  readonly #typed: string[] = []
  #history: string[] = []
  /** The beginning of the next line, which came with the end of one, as in a pasted text. */
  #begun = ''
  #pipe: Interface | null = null
  #ended = false
  #waiting: (() => void) | null = null

  constructor(source: LineSource) {
    this.#source = source
  }

  /** Whether a person sits there. */
  get isTerminal(): boolean {
    return this.#source.input.isTTY && this.#source.output.isTTY
  }

  /**
   * The next line as a decision, null as for {@link ask}. At a terminal only what is typed behind the prompt is one: what was
   * typed or pasted ahead, before anybody could see what is asked, waits for the next message.
   */
  async decide(prompt: string, signal: AbortSignal): Promise<string | null> {
    if (!this.isTerminal) return await this.ask(prompt, signal)
    await this.#readAhead(signal)
    const ahead = this.#typed.splice(0)
    const begun = this.#begun
    this.#begun = ''
    try {
      return await this.ask(prompt, signal)
    } finally {
      this.#typed.unshift(...ahead)
      this.#begun = begun + this.#begun
    }
  }

  /** The next line; null when there is no more, or when `signal` fires first. */
  async ask(prompt: string, signal: AbortSignal): Promise<string | null> {
    if (this.#typed.length === 0 && !this.#ended && !signal.aborted) {
      if (this.isTerminal) await this.#edited(prompt, signal)
      else await this.#piped(signal)
    }
    return signal.aborted ? null : (this.#typed.shift() ?? null)
  }

  /** Reads no more. */
  close(): void {
    this.#pipe?.close()
  }

  /** Takes what the terminal has. */
  async #readAhead(signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const timer = after(AHEAD_MS).then(() => over.abort())
    while (!over.signal.aborted && !this.#ended && !signal.aborted) {
      // eslint-disable-next-line no-await-in-loop -- one line after the other
      await this.#edited('', AbortSignal.any([signal, over.signal]))
    }
    await timer
  }

  async #edited(prompt: string, signal: AbortSignal): Promise<void> {
    const { input, output, onInterrupt } = this.#source
    const editor = createInterface({ input, output, history: [...this.#history], terminal: true })
    let closing = false
    try {
      await new Promise<void>((resolve) => {
        editor.on('line', (line) => {
          this.#typed.push(line)
          resolve()
        })
        editor.on('history', (history) => (this.#history = history))
        editor.on('SIGINT', onInterrupt)
        editor.on('close', () => {
          // Ctrl-D, unless it is closed below.
          if (!closing) this.#ended = true
          resolve()
        })
        signal.addEventListener('abort', () => resolve(), { once: true })
        editor.setPrompt(prompt)
        editor.prompt()
        editor.write(this.#begun)
      })
    } finally {
      closing = true
      this.#begun = editor.line
      editor.close()
    }
  }

  async #piped(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting = resolve
      signal.addEventListener('abort', () => resolve(), { once: true })
      this.#pipe ??= this.#opened()
    })
    this.#waiting = null
  }

  #opened(): Interface {
    const pipe = createInterface({ input: this.#source.input })
    pipe.on('line', (line) => {
      this.#typed.push(line)
      this.#waiting?.()
    })
    pipe.on('close', () => {
      this.#ended = true
      this.#waiting?.()
    })
    return pipe
  }
}
