import { createHash } from 'node:crypto'
import type { CodeBlock } from '@x/interfaces'
import { nameFault, wantedName } from '../read/file-name.ts'
import { quietPip } from '../read/quiet-pip.ts'
import { failed, type Job, type Outcome } from './job.ts'
import { ENDINGS, runtimeOf, type ExecutePolicy } from './languages.ts'
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
    file: wanted ?? `tmp_code_${digest}.${ENDINGS[runtime]}`,
    saveOnly: options.execute[runtime] !== true,
    limits: options.limits,
  }
}
