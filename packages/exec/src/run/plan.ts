import { createHash } from 'node:crypto'
import type { CodeBlock } from '@x/interfaces'
import { nameFault, wantedName } from '../read/file-name.ts'
import { failed, type Job, type Outcome } from './job.ts'
import { FILE_ENDINGS, runtimeOf, type ExecutePolicy } from './languages.ts'
import type { ExecutionLimits } from './limits.ts'

/** Options by which blocks become jobs. */
export interface PlanOptions {
  readonly limits: ExecutionLimits
  readonly execute: ExecutePolicy
  readonly inferLang: (code: string) => string
}

/** The job of a block, or the outcome that it has without running. */
export function planBlock({ language, code }: CodeBlock, options: PlanOptions): Job | Outcome {
  const written = language.toLowerCase() || options.inferLang(code)
  const runtime = runtimeOf(written)
  if (!runtime) return failed('unsupported-language', `\nunknown language ${language || written}`)
  if (!code.isWellFormed()) return failed('bad-filename', 'the code holds half a character, which no file can hold')
  const quiet = quietPip(code, written)
  const wanted = wantedName(quiet)
  const fault = wanted === null ? null : nameFault(wanted)
  if (fault === 'is not in the workspace') return failed('bad-filename', 'Filename is not in the workspace')
  if (fault !== null) return failed('bad-filename', `Filename ${fault}: ${JSON.stringify(wanted)}`)
  const digest = createHash('md5').update(quiet).digest('hex')
  return {
    runtime,
    code: quiet,
    file: wanted ?? `tmp_code_${digest}.${FILE_ENDINGS[runtime]}`,
    saveOnly: options.execute[runtime] !== true,
    limits: options.limits,
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

/** Makes `pip install` lines quiet (`-qqq`), by language as written; other lines and languages stay as they are. */
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
