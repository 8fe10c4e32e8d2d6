import { createHash } from 'node:crypto'
import type { CodeBlock } from '@x/interfaces'
import { nameFault, requestedName } from '../read/file-name.ts'
import { failedOutcome, type Job, type Outcome } from './job.ts'
import { FILE_ENDINGS, runtimeOf, type ExecutePolicy } from './languages.ts'
import type { ExecutionLimits } from './limits.ts'

/** Options of {@link planBlock}. */
export interface PlanOptions {
  readonly limits: ExecutionLimits
  readonly execute: ExecutePolicy
  readonly inferLang: (code: string) => string
  /** True if somebody chooses which changes of a directory of the user's come back. */
  readonly asks?: boolean | undefined
}

/** Returns the job of a block, or its outcome if it cannot run. */
export function planBlock({ language, code }: CodeBlock, options: PlanOptions): Job | Outcome {
  const label = language.toLowerCase() || options.inferLang(code)
  const runtime = runtimeOf(label)
  if (!runtime) return failedOutcome('unsupported-language', `\nunknown language ${language || label}`)
  if (!code.isWellFormed())
    return failedOutcome('bad-filename', 'the code holds a lone surrogate, which no file can hold')
  const quiet = quietPip(code, label)
  const name = requestedName(quiet)
  const fault = name === null ? null : nameFault(name)
  if (fault === 'is not in the workspace') return failedOutcome('bad-filename', 'Filename is not in the workspace')
  if (fault !== null) return failedOutcome('bad-filename', `Filename ${fault}: ${JSON.stringify(name)}`)
  const digest = createHash('md5').update(quiet).digest('hex')
  return {
    runtime,
    code: quiet,
    file: name ?? `tmp_code_${digest}.${FILE_ENDINGS[runtime]}`,
    saveOnly: options.execute[runtime] !== true,
    limits: options.limits,
    ...(name !== null && { isNamed: true }),
    ...(options.asks && { asks: true }),
  }
}

const PIP_INSTALL_PATTERNS: Record<string, RegExp> = {
  python: /^! ?pip install/u,
  bash: /^pip install/u,
  shell: /^pip install/u,
  sh: /^pip install/u,
  pwsh: /^pip install/u,
  powershell: /^pip install/u,
  ps1: /^pip install/u,
}

/** Adds `-qqq` to the `pip install` lines of code in a language; other lines and languages stay as they are. */
export function quietPip(code: string, language: string): string {
  const pattern = PIP_INSTALL_PATTERNS[language]
  if (!pattern) return code
  return code
    .split('\n')
    .map((line) => {
      const command = pattern.exec(line)?.[0]
      return command === undefined || line.includes('-qqq') ? line : line.replaceAll(command, `${command} -qqq`)
    })
    .join('\n')
}
