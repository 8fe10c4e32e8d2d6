import { printable } from '@x/agent'
import type { Io } from '@x/interfaces'
import type { CommandRunner } from './chat-commands.ts'
import type { Lines } from './chat-lines.ts'

/** Prompt of a line when it is the person's turn in a group. */
const YOUR_TURN = 'Your turn (an empty line: you stay silent): '

/** Options of the `io` by which the agents of a chat ask the person. */
export interface IoOptions {
  readonly lines: Pick<Lines, 'ask'>
  /** Fires when the program is to end. */
  readonly left: AbortController
  readonly command: CommandRunner
  /** Ends the line that is being written. */
  readonly endLine: () => Promise<void>
}

/** Creates the `io` of the agents: events come by the stream of a turn, questions are asked on a line. */
export function createChatIo({ lines, left, command, endLine }: IoOptions): Io {
  return {
    send() {},
    async input(prompt, { agent, signal } = {}) {
      const isTurn = agent === 'user'
      const stop = signal ? AbortSignal.any([left.signal, signal]) : left.signal
      for (;;) {
        await endLine()
        const line = await lines.ask(isTurn ? YOUR_TURN : printable(prompt), stop)
        // Without a person the others go on.
        if (line === null) return ''
        const ran = await command(line)
        if (!ran) return line
        if (!ran.leave) continue
        left.abort()
        return 'exit'
      }
    },
  }
}
