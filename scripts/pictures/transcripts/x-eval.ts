import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTasks } from '../../../packages/eval/src/index.ts'
import { type ChatRequest, type ServerReply, startFakeOpenAI } from '../../../packages/testing/src/index.ts'
import { root } from '../../workspace.ts'
import { type } from '../transcript.ts'

const tasks = (['arithmetic', 'logic'] as const).flatMap((set) => makeTasks(set, { count: 30 }))
const answers = new Map(tasks.map(({ input, expected }) => [input, String(expected)]))

/** Stands for a model that knows the answer to most questions. */
const playing =
  (isKnown: (question: string) => boolean) =>
  ({ messages }: ChatRequest): ServerReply => {
    const question = String(messages.findLast(({ role }) => role === 'user')?.['content'])
    return { content: `Answer: ${isKnown(question) ? answers.get(question) : 'unknown'}` }
  }

const server = await startFakeOpenAI({
  models: {
    'gpt-5-mini': playing((question) => question.length % 8 !== 0),
    'gpt-5-nano': playing((question) => question.length % 3 !== 0),
  },
})
const cwd = mkdtempSync(join(tmpdir(), 'x-eval-'))
const x = join(cwd, 'x')
const main = join(root, 'packages/cli/src/main.ts')
writeFileSync(x, `#!/bin/sh\nexec node --conditions=@x/source ${main} "$@" --base-url ${server.url}\n`)
chmodSync(x, 0o755)
process.env['PATH'] = `${cwd}:${process.env['PATH']}`
process.env['OPENAI_API_KEY'] = 'sk-picture'
// Times differ from run to run.
const shown = (text: string): string => text.replaceAll(/ +(?:time|\d+ ms|[\d.]+ s)$/gmu, '')
const lines = tasks.map(({ id, input, kind, expected }) => `${JSON.stringify({ id, input, kind, expected })}\n`)
writeFileSync(join(cwd, 'questions.jsonl'), lines.join(''))
await type('x eval questions.jsonl --model gpt-5-mini gpt-5-nano --budget 1', { cwd, shown })
rmSync(cwd, { recursive: true })
await server.close()
