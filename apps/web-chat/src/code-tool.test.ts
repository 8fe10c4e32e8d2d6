import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCodeExecutor } from '@x/exec'
import type { LlmConfig } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createExampleAgents } from './assistant.ts'
import type { MakeAgents } from './chat-host.ts'
import { codeTool } from './code-tool.ts'
import type { Conversation } from './conversation.ts'
import { answered, startExample } from './example-server.fake.ts'
import type { ToolItem } from './item.ts'

const toolOf = ({ lines: { items } }: Conversation): ToolItem =>
  items.findLast((item): item is ToolItem => item.kind === 'tool')!

const hasShell = await canRun('sh')

describe('code of the model', () => {
  /** A model that runs a program, and then says that it is done. */
  const runs = (language: string, code: string): LlmConfig =>
    functionModel(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? 'Done.'
        : { tool_calls: [{ id: 'r', function: { name: 'run_code', arguments: JSON.stringify({ language, code }) } }] },
    )

  async function resultOf(language: string, code: string): Promise<string> {
    await using example = await startExample(runs(language, code))
    const { conversation } = example
    await answered(conversation, () => conversation.say('Go.'))
    return toolOf(conversation).result!
  }

  it('runs, and its failure is a result that the model reads', async () => {
    expect(await resultOf('javascript', 'console.log(6 * 7)')).toBe('42\n')
    expect(await resultOf('typescript', 'throw new Error("no luck" as string)')).toMatch(/^exit code 1\n.*no luck/su)
  })

  it.skipIf(!hasShell)('gets no key, no network and no file of the worker, and leaves none behind', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flagship-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'chats.db')
    writeFileSync(file, 'PRIVATE')
    vi.stubEnv('OPENAI_API_KEY', 'sk-canary')
    onTestFinished(() => void vi.unstubAllEnvs())
    let asked = 0
    const server = createServer(() => void asked++).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const steals = [
      'env',
      'cat /proc/*/environ | tr "\\0" "\\n"',
      `cat ${file} ${import.meta.filename}`,
      `(exec 3<>/dev/tcp/127.0.0.1/${port}) || nc 127.0.0.1 ${port} </dev/null`,
      'ls; echo mine > left-behind',
    ].join('\n')
    const result = await resultOf('sh', `${steals}\necho end`)
    expect(result).toMatch(/end\n$/u)
    expect(result).not.toMatch(/sk-canary|PRIVATE|createServer/u)
    expect(asked).toBe(0)
    expect(await resultOf('sh', 'ls; echo end')).not.toContain('left-behind')
  })

  it('is refused in clear words where nothing isolates it', async () => {
    const nothing = codeTool(() => createCodeExecutor('container', { socket: '/nowhere' }))
    const agents: MakeAgents = (_, io) =>
      createExampleAgents({ llmConfig: runs('sh', 'echo end'), io, send: () => {}, runCode: nothing })
    await using example = await startExample(undefined, { agents })
    const { conversation } = example
    await answered(conversation, () => conversation.say('Go.'))
    expect(toolOf(conversation).result).toMatch(/^Error: .*\/nowhere/u)
    expect(conversation.lines.items.at(-1)).toMatchObject({ text: 'Done.' })
  })
})

/** Tells whether this machine isolates code of a language; otherwise says so. */
async function canRun(language: string): Promise<boolean> {
  await using executor = createCodeExecutor('auto')
  try {
    return (await executor.executeCodeBlocks([{ language, code: 'true' }])).exitCode === 0
  } catch (error) {
    console.warn(`skipped: code in \`${language}\`: ${String(error)}`)
    return false
  }
}
