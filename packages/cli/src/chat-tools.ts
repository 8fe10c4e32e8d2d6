import { statSync } from 'node:fs'
import { tool } from '@x/agent'
import { createCodeExecutor, type CodeExecutorOptions } from '@x/exec'
import type { LlmConfig, Tool } from '@x/interfaces'
import { XError } from '@x/kernel'
import { simulatedModel } from '@x/testing'
import { z } from 'zod'

/** A tool of the assistant that ends with the program. */
export interface ClosableTool extends AsyncDisposable {
  readonly tool: Tool
}

/** Limits on the folder of a person: it is copied into memory. */
const FOLDER_LIMITS = { workspaceBytes: 512 * 2 ** 20, workspaceEntries: 50_000 }

const FOLDER_WORDS =
  " Programs in python and sh work in a copy of the user's folder; what they change there comes back if the user allows it."

/** Runs code in a sandbox; somebody allows each run, unless told otherwise. */
export function runCodeTool({
  needsApproval,
  ...options
}: { needsApproval: boolean } & Pick<CodeExecutorOptions, 'timeout' | 'workDir' | 'apply'>): ClosableTool {
  const { workDir } = options
  const hasFolder = workDir !== undefined
  if (hasFolder && !statSync(workDir, { throwIfNoEntry: false })?.isDirectory())
    throw new XError(
      'invalid-argument',
      `cannot work on \`${workDir}\`: it is not a folder; give \`--dir\` one that exists`,
    )
  const executor = createCodeExecutor('auto', { ...options, ...(hasFolder && { limits: FOLDER_LIMITS }) })
  return {
    tool: tool({
      name: 'run_code',
      description: `Runs a short program in a sandbox without network and gives what it prints. Use it to compute and to check.${hasFolder ? FOLDER_WORDS : ''}`,
      parameters: z.object({ language: z.enum(['javascript', 'python', 'sh']), code: z.string() }),
      needsApproval,
      async execute(block, { run }) {
        const { exitCode, output } = await executor.executeCodeBlocks([block], { run })
        return exitCode === 0 ? output : `exit code ${exitCode}\n${output}`
      },
    }),
    [Symbol.asyncDispose]: async () => await executor.close(),
  }
}

/** Makes the simulated model, which answers without a key. */
export const simulatedAssistant = (pace?: number): LlmConfig =>
  simulatedModel({
    calls: [
      {
        when: /compute ([-+*/%().\d\s]+)/iu,
        name: 'run_code',
        arguments: ([, sum = '0']) => ({ language: 'javascript', code: `console.log(${sum.trim()})` }),
      },
      { when: /^run (.+)/iu, name: 'run_code', arguments: ([, code = '']) => ({ language: 'sh', code }) },
    ],
    about:
      'I am a simulated model. Say "compute 2 ** 10" and I write a program that runs in a sandbox, once you allow it. Set ' +
      'OPENAI_API_KEY, or give --base-url or --provider, to talk with a real model.',
    pace,
  })
