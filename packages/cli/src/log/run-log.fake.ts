import { isXError } from '@x/kernel'
import { Command, CommanderError } from 'commander'
import type { LogOutput } from './log-actions.ts'
import { addLog } from './log-command.ts'

/** The result of a command. */
export interface Ran {
  readonly text: string
  readonly error: string
  readonly status: number | null
}

/** Runs a command of `x log` in this process, as a person whose state is in a folder. */
export async function runLog(folder: string, ...words: readonly string[]): Promise<Ran> {
  let [text, error, status] = ['', '', 0]
  const paint: LogOutput['paint'] = (_, shown) => shown
  const parts = { env: { XDG_STATE_HOME: folder }, paint, columns: undefined, signal: new AbortController().signal }
  const program = new Command('x').configureOutput({ writeErr: (part) => void (error += part) }).exitOverride()
  addLog(program, ({ json }) => ({
    ...{ ...parts, json: json === true, write: (part) => void (text += part), fail: () => void (status = 1) },
    aside: async (act) => await act(),
  }))
  for (const command of program.commands[0]!.commands) command.exitOverride().copyInheritedSettings(program)
  try {
    await program.parseAsync(['log', ...words], { from: 'user' })
  } catch (thrown) {
    status = 1
    error += isXError(thrown) ? `${thrown.code}: ${thrown.message}\n` : ''
    if (!isXError(thrown) && !(thrown instanceof CommanderError)) throw thrown
  }
  return { text, error, status }
}
