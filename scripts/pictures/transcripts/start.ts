import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../../free-port.ts'
import { root } from '../../workspace.ts'
import { type } from '../transcript.ts'

// The files of `docs/start.md` in a folder of their own, where the programs have free ports.
const cwd = mkdtempSync(join(tmpdir(), 'start-'))
cpSync(join(root, 'examples/start'), cwd, { recursive: true })
symlinkSync(join(root, 'examples/node_modules'), join(cwd, 'node_modules'))
writeFileSync(join(cwd, 'package.json'), '{"type":"module"}')
const modelFile = join(cwd, 'model.ts')
writeFileSync(modelFile, readFileSync(modelFile, 'utf8').replace('port: 4010', 'port: 0'))

process.env['NODE_OPTIONS'] = '--conditions=@x/source'
const model = await run('model.ts')
process.env['OPENAI_API_KEY'] = 'none'
process.env['OPENAI_BASE_URL'] = model.line.slice('answering at '.length)
await type('node ask.ts', { cwd })
// Times differ from run to run.
await type('node --test', { cwd, shown: (text) => text.replace(/ \([\d.]+ms\)|^ℹ .*\n?/gmu, '') })
const port = await freePort()
process.env['PORT'] = String(port)
const server = await run('server.ts')
await type(`curl -s --data '{"message":"Where is my order 17?"}' http://127.0.0.1:3000`, { port })
await type(`curl -s -w '(%{http_code})' --data '{"text":"Hello"}' http://127.0.0.1:3000`, { port })
for (const { child } of [model, server]) child.kill()
rmSync(cwd, { recursive: true })

/** Starts a program that runs until the end, and returns its first line. */
async function run(file: string): Promise<{ child: ReturnType<typeof spawn>; line: string }> {
  const child = spawn(process.execPath, [file], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { child, line }
}
