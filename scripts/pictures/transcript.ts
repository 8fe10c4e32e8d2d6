/** Commands in a terminal, which programs of `transcripts` run and print as a person would see them. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The port that pictures name, whichever a server really has. */
const SHOWN_PORT = '3000'

interface Typed {
  /** The port of the server that the command names by 3000. */
  readonly port?: number
  readonly cwd?: string
  /** Changes what is printed. */
  readonly shown?: (text: string) => string
}

/** Prints a command, runs it in bash, and prints what it prints. */
export async function type(command: string, { port, cwd, shown = (text) => text }: Typed = {}): Promise<void> {
  console.log(`$ ${command}`)
  const real = port === undefined ? command : command.replaceAll(`:${SHOWN_PORT}`, `:${port}`)
  console.log(`${shown(await output(real, cwd)).trimEnd()}\n`)
}

/** Runs a command in bash, and returns what it prints, whether it fails or not. */
async function output(command: string, cwd: string | undefined): Promise<string> {
  const child = execFile('bash', ['-c', command], { cwd, encoding: 'utf8' })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: string) => void (printed += text))
  await once(child, 'close')
  return printed
}

/** Starts a server on a free port of this machine. */
export async function serve(listener: RequestListener | Server): Promise<{ port: number; close(): void }> {
  const server = typeof listener === 'function' ? createServer(listener) : listener
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
