import type { CodeBlock } from '@x/interfaces'
import { XError } from '@x/kernel'

/** Words of other libraries for the options of an executor. */
export const FOREIGN_EXECUTOR_WORDS: Readonly<Record<string, string>> = {
  'cwd directory workingDirectory workspace path': 'write `workDir`',
  'timeoutMs timeoutSeconds executionTimeout': 'write `timeout`, in seconds',
  'memory memoryMb memoryLimit memLimit maxMemory memoryBytes': 'write `limits: { memoryBytes: 512 * 2 ** 20 }`',
  'maxOutput maxOutputBytes outputLimit': 'write `limits: { outputBytes: … }`',
  'dockerImage containerImage baseImage': "write `image`, for the kind 'container'",
  'useDocker docker':
    "give the kind first, as in `createCodeExecutor('container')`, or write `codeExecutionConfig({ useDocker })`",
  'languages language allowedLanguages executionPolicies':
    'write `execute: { python: true }`, with the languages that run',
  'environment envVars envs': 'write `env`',
  'files volumes mounts': 'put them into a directory of yours, and write `workDir`, or `readOnly`',
  'packages requirements dependencies pip':
    'code takes the packages of its interpreter: install them there, or give an `image` that has them',
  'allowNetwork networkAccess internet': "write `network: 'host'`, or leave it out for none",
}

/** Words of other libraries for the options of an execution. */
export const FOREIGN_EXECUTION_WORDS: Readonly<Record<string, string>> = {
  'timeout timeoutMs': 'give `timeout` to the executor when you create it, or stop this call by a `signal`',
}

/** Words of other libraries for limits. */
export const FOREIGN_LIMIT_WORDS: Readonly<Record<string, string>> = {
  'memory memoryMb memoryMB memoryLimit maxMemory': 'write `memoryBytes: 512 * 2 ** 20`',
  'timeoutMs seconds time': 'write `timeout`, in seconds',
  'output maxOutput maxOutputBytes': 'write `outputBytes`',
  'processes threads maxProcesses': 'write `pids`',
  'disk diskMb diskBytes storage': 'write `workspaceBytes: 256 * 2 ** 20`',
}

const EXAMPLE = "[{ language: 'python', code: 'print(1)' }]"

/** Refuses anything but a list of blocks. */
export function checkBlocks(blocks: unknown, operation: string): asserts blocks is readonly CodeBlock[] {
  const refuse = (problem: string): never => {
    throw new XError('invalid-argument', `cannot run \`${operation}\`: ${problem}`)
  }
  if (!Array.isArray(blocks)) {
    refuse(`its blocks are ${typeof blocks === 'string' ? 'a text' : 'not a list'}; give a list, as in ${EXAMPLE}`)
  }
  for (const [index, block] of (blocks as readonly unknown[]).entries()) {
    const { language, code } = Object(block) as { readonly language?: unknown; readonly code?: unknown }
    if (typeof language === 'string' && typeof code === 'string') continue
    const missing = typeof language === 'string' ? 'code' : 'language'
    refuse(`block ${index} has no \`${missing}\`; give a text for each, as in ${EXAMPLE}`)
  }
}
