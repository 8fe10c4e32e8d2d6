import { basename } from 'node:path'
import type { Command } from 'commander'
import { printable } from '@x/agent'
import { XError } from '@x/kernel'
import type { StudioOptions } from '@x/studio'
import { loadModule } from './file-export.ts'
import { openToShow } from './log/log-source.ts'
import { listening, portOf } from './option-values.ts'
import type { Environment } from './recording.ts'

/** Port at which the page is unless another one is named. */
const USUAL_PORT = 4983

/** Names of this machine for itself: a page of another site cannot have them. */
const OWN_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Options of `x studio`. */
interface StudioCommandOptions {
  readonly program?: string | undefined
  readonly port: number
}

/** Where the command writes, and when it ends. */
export interface StudioOutput {
  readonly env: Environment
  readonly write: (text: string) => void
  readonly signal: AbortSignal
}

/** Shows the runs of a file in a page, on this machine alone, until the signal. */
export async function serveStudio(
  file: string | undefined,
  { program: module, port }: StudioCommandOptions,
  { env, write, signal }: StudioOutput,
): Promise<void> {
  await using source = await openToShow(file, env)
  // Loaded here, since the other commands start faster without them.
  const { studio } = await import('@x/studio')
  const { listenOn } = await import('@x/kernel/node-http')
  const host = (await source.openHost?.()) ?? null
  const { program, agents } = module === undefined ? {} : await importProgram(module)
  const token = crypto.randomUUID()
  const show = studio(source.mayChange ? source.records! : source, {
    title: basename(source.file),
    token,
    ...(program && { program }),
    ...(agents && { agents }),
    ...(host && { host }),
  })
  const answer = async (request: Request): Promise<Response> =>
    OWN_NAMES.has(new URL(request.url).hostname)
      ? await show(request)
      : new Response('The studio is only for this machine.', { status: 403 })
  const server = await listening(port, listenOn(answer, { port, host: '127.0.0.1' }))
  write(`${printable(source.file)}: ${server.url}/?token=${token}\n`)
  write('The page is for you alone: the token stands for your name. Ctrl-C ends it.\n')
  if (source.records && !source.mayChange) write('You may only read the file: no run is labelled or goes on.\n')
  await new Promise<void>((stop) => signal.addEventListener('abort', () => stop(), { once: true }))
  await server.close()
  await host?.close()
}

type StudioProgram = Pick<StudioOptions, 'program' | 'agents'>

/** Imports a module that has the program of the runs, agents to chat with, or both. */
async function importProgram(file: string): Promise<StudioProgram> {
  const { default: program, agents } = await loadModule<Readonly<Record<string, unknown>>>(file)
  const isAgents = typeof agents === 'object' && agents !== null
  if (typeof program !== 'function' && !isAgents)
    throw new XError(
      'invalid-argument',
      `cannot use \`${file}\`: it has neither a program nor agents; write \`export default (options, run) => agent.run(run.message, options)\` or \`export const agents = { clerk }\``,
    )
  return {
    ...(typeof program === 'function' && { program: program as NonNullable<StudioProgram['program']> }),
    ...(isAgents && { agents: agents as NonNullable<StudioProgram['agents']> }),
  }
}

/** Adds `x studio` to the program. */
export function addStudio(program: Command): void {
  program
    .command('studio')
    .description('Shows recorded runs in a page on this machine: timelines, prompts, answers, costs; forks and chats.')
    .argument('[file]', 'file of records, of a host, or a fixture; default: the one of `x chat`')
    .option(
      '--program <module>',
      'module whose default export runs the program, and whose `agents` can be chatted with',
    )
    .option('--port <number>', 'port to listen on; 0 takes a free one', portOf, USUAL_PORT)
    .action(async (file: string | undefined, options: StudioCommandOptions) => {
      const stop = new AbortController()
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
      const write = (text: string): void => void process.stdout.write(text)
      await serveStudio(file, options, { env: process.env, write, signal: stop.signal })
    })
}
