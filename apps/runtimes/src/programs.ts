import { execFile } from 'node:child_process'
import type { Row } from './try-all.ts'

/** Time that a program may take, including the start of its runtime. */
const PROGRAM_TIMEOUT_SECONDS = 120

/** Runs a program that prints its rows as its last line. A program that fails, or says anything else, is one row. */
export async function rowsOf(command: string, args: readonly string[], cwd: string): Promise<Row[]> {
  const { output, failure } = await new Promise<{ output: string; failure: string | null }>((resolve) => {
    const child = execFile(command, args, { cwd, timeout: PROGRAM_TIMEOUT_SECONDS * 1000 }, (error, stdout, stderr) =>
      resolve({ output: stdout, failure: error ? `${error.message}\n${stderr}` : null }),
    )
    // The console of a container: nobody is there to ask.
    child.stdin?.end()
  })
  const rows = parsed(output.trim().split('\n').at(-1) ?? '')
  if (!rows) return [{ name: 'its report', fault: `${failure ?? 'it reported nothing'}\n${output.slice(-2000)}` }]
  return failure === null ? rows : [...rows, { name: 'its end', fault: failure }]
}

/** Reads rows; undefined when a text holds none. */
export function parsed(text: string): Row[] | undefined {
  try {
    const rows: unknown = JSON.parse(text)
    return Array.isArray(rows) && rows.length > 0 ? (rows as Row[]) : undefined
  } catch {
    return undefined
  }
}
