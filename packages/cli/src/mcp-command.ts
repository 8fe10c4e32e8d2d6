import { Writable } from 'node:stream'
import type { McpServerOptions } from '@x/mcp/server'
import { XError } from '@x/kernel'
import type { Command } from 'commander'
import { importFrom } from './file-export.ts'
import { listening, portOf } from './option-values.ts'

/** Options of `x mcp`. */
interface McpCommandOptions {
  /** Port to listen on; without one the server speaks by input and output. */
  readonly port?: number | undefined
  readonly host?: string | undefined
}

/** Serves the export `server` of a file to MCP clients. */
async function serveFile(file: string, { port, host }: McpCommandOptions): Promise<void> {
  if (host !== undefined && port === undefined)
    throw new XError('invalid-argument', '`--host` is an address to listen on: give `--port` too, or leave it out')
  const onError = (error: unknown): void => void process.stderr.write(`${String(error)}\n`)
  // A client reads the protocol alone from stdout: everything else goes to stderr.
  const print = process.stdout.write.bind(process.stdout)
  if (port === undefined) process.stdout.write = process.stderr.write.bind(process.stderr)
  // A client that reads no more has gone.
  if (port === undefined) process.stdout.on('error', () => process.exit())
  const options = await importFrom<McpServerOptions>(file, {
    name: 'server',
    type: 'object',
    example: 'export const server = { name, agents, tools }',
  })
  // Loaded here, since the other commands start faster without it.
  const { mcpServer } = await import('@x/mcp/server')
  await using server = mcpServer({ onError, ...options })
  if (port === undefined) {
    const output = new Writable({ write: (chunk: Buffer, _, done) => void print(chunk, done) })
    return await server.stdio({ output })
  }
  const { url } = await listening(port, server.listen({ port, host }))
  process.stderr.write(`MCP at ${url}/mcp, until Ctrl-C\n`)
  await new Promise<void>((stop) => {
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
  })
}

/** Adds `x mcp` to the program. */
export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('Offers the agents and tools that a file exports as `server` to MCP clients, by input and output.')
    .argument('<file>', 'module that exports `server`: { name, agents, tools }')
    .option('--port <number>', 'listens over HTTP instead', portOf)
    .option('--host <address>', 'address to listen on; default: this machine alone')
    .action(async (file: string, options: McpCommandOptions) => await serveFile(file, options))
}
