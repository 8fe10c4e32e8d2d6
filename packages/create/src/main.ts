#!/usr/bin/env node
import { confirm, isCancel, select } from '@clack/prompts'
import { DEFAULTS, KIND_NAMES, KINDS, PROVIDER_NAMES, PROVIDERS, type Choices } from './choices.ts'
import { createCommand } from './create.ts'

/** Asks the questions that no flag has answered. */
async function ask(given: Partial<Choices>): Promise<Choices> {
  return {
    provider:
      given.provider ??
      answered(
        await select({
          message: 'Whose model answers?',
          initialValue: DEFAULTS.provider,
          options: PROVIDER_NAMES.map((value) => ({
            value,
            label: value === 'simulated' ? 'none yet: a simulated one' : PROVIDERS[value].label,
          })),
        }),
      ),
    kind:
      given.kind ??
      answered(
        await select({
          message: 'What is it?',
          options: KIND_NAMES.map((value) => ({ value, label: KINDS[value] })),
        }),
      ),
    tests: given.tests ?? answered(await confirm({ message: 'With tests?' })),
    typescript: given.typescript ?? answered(await confirm({ message: 'In TypeScript?' })),
  }
}

/** An answer; ends the program where the person has left. */
function answered<T>(answer: T): Exclude<T, symbol> {
  if (!isCancel(answer)) return answer as Exclude<T, symbol>
  process.stderr.write('Nothing was made.\n')
  process.exit(1)
}

// `stripTypeScriptTypes` is experimental in some versions of Node: a person who makes a project need not know.
process.removeAllListeners('warning')
await createCommand({
  cwd: process.cwd(),
  ask: process.stdin.isTTY && process.stdout.isTTY ? ask : undefined,
  write: (text) => void process.stdout.write(text),
  node: process.versions.node,
  // As in `pnpm/12.21.0 npm/? node/v24.21.0 linux x64`.
  manager: process.env['npm_config_user_agent']?.split('/')[0] ?? 'npm',
}).parseAsync()
