/** A server of the older protocol, run as a program; its first argument selects the behaviour. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [how = 'plain', faultyMethod = ''] = process.argv.slice(2)
const say = (message: unknown): void => void process.stdout.write(`${JSON.stringify(message)}\n`)

let child: number | undefined
if (how === 'stubborn') {
  process.on('SIGTERM', () => {})
  child = spawn('sleep', ['1000'], { stdio: 'ignore' }).pid
  setInterval(() => {}, 1000)
}
if (how === 'noisy') process.stdout.write('Welcome!\n\n{"not": "a message"}\n')
process.stderr.write(`began with ${process.env['TOKEN'] ?? 'nothing'}\n`)

const tools = ['echo', 'env', 'die', 'flood', 'pids', 'mangle', 'forge'].map((name) => ({
  name,
  inputSchema: { type: 'object' },
}))

function answer(method: string, params: { name?: string; arguments?: unknown }): unknown {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'stdio', version: '1' },
      }
    case 'tools/list':
      return { tools }
    case 'tools/call':
      if (params.name === 'die') process.exit(7)
      if (params.name === 'flood') process.stdout.write('x'.repeat(200_000))
      return { content: [{ type: 'text', text: textOf(params) }] }
    default:
      return undefined
  }
}

function textOf({ name, arguments: args }: { name?: string; arguments?: unknown }): string {
  if (name === 'env') return JSON.stringify(process.env)
  return JSON.stringify(name === 'pids' ? [process.pid, child] : args)
}

/** Handles a message by the selected behaviour; false if it does not apply. */
function commitFault(): boolean {
  switch (how) {
    case 'quits':
      return process.exit(9)
    case 'hangs':
      return true
    case 'stammers':
      process.stdout.write('{"jsonrpc": "2.0", "id"', () => process.exit(0))
      return true
    case 'babbles':
      process.stdout.write('nonsense\n[1, 2]\n"x"\n{"jsonrpc":"2.0","id":99,"result":{}}\n')
      return true
    case 'closes':
      process.stdout.end()
      return true
    default:
      return false
  }
}

const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line) as { id?: unknown; method: string; params?: { name?: string } }
  if (how === 'exits' && !['initialize', 'notifications/initialized', 'tools/list', 'tools/call'].includes(method)) {
    process.exit(2)
  }
  if (method === faultyMethod && commitFault()) return
  if (params.name === 'mangle') return say({ jsonrpc: '2.0', id, result: null })
  if (params.name === 'forge') return say({ jsonrpc: '2.0', id, error: { code: -39_999, message: 'forged' } })
  const result = answer(method, params)
  if (id === undefined || (result === undefined && how === 'silent')) return
  say({ jsonrpc: '2.0', id, ...(result === undefined ? { error: { code: -32_601, message: 'no' } } : { result }) })
})
