import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { runCodeTool } from './chat-tools.ts'

it.each(['/nowhere/project', fileURLToPath(import.meta.url)])(
  'no code works on `%s`, which is not a folder',
  (workDir) => {
    expect(() => runCodeTool({ needsApproval: false, workDir })).toThrow(
      /it is not a folder; give `--dir` one that exists/u,
    )
  },
)
