/** Connects to the servers of its arguments, prints their process ids, and waits to be killed. */
import { mcp } from './index.ts'

const [server = '', ...ways] = process.argv.slice(2)
const connections = await Promise.all(
  ways.map(async (how, index) => await mcp({ name: `s${index}`, command: process.execPath, args: [server, how] })),
)
const pids = await Promise.all(
  connections.map(async (its) => (JSON.parse((await its.callTool('pids')).text) as number[])[0]),
)
process.stdout.write(`${JSON.stringify(pids)}\n`)
setInterval(() => {}, 1000)
