import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from '../../workspace.ts'
import { type } from '../transcript.ts'

console.log('$ npx x mcp examples/mcp-server.ts --port 3000')
const [main, file] = [join(root, 'packages/cli/src/main.ts'), join(root, 'examples/mcp-server.ts')]
const child = spawn(process.execPath, ['--conditions=@x/source', main, 'mcp', file, '--port', '0'], {
  stdio: ['ignore', 'inherit', 'pipe'],
})
const [line] = (await once(createInterface(child.stderr), 'line')) as [string]
const port = Number(/:(\d+)\//u.exec(line)![1])
console.log(line.replace(`:${port}`, ':3000'))
const accept = `-H 'accept: application/json, text/event-stream'`
const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
await type(`curl -s ${accept} --json '${list}' http://127.0.0.1:3000/mcp`, { port })
child.kill()
