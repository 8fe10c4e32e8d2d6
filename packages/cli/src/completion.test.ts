import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { METHOD_NAMES } from '@x/reasoning'
import { PROVIDER_NAMES } from './chat-model.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const x = (...words: string[]): string =>
  execFileSync(process.execPath, ['--conditions=@x/source', MAIN, ...words], { encoding: 'utf8' })

/** Returns the completions that a shell offers for words, of which the last one is not finished. */
const offered = (...words: string[]): string[] =>
  x('complete', '--', ...words)
    .split('\n')
    .filter((line) => line && !line.startsWith(':'))
    .map((line) => line.split('\t')[0]!)

describe('completion', () => {
  it.each([
    [[''], ['ask', 'chat', 'reason', 'mcp', 'complete', 'help']],
    [['chat', '--res'], ['--resume']],
    [['chat', '--provider', ''], PROVIDER_NAMES],
    [['reason', '--method', ''], METHOD_NAMES],
  ])('of %j offers %j', (words, wanted) => {
    expect(offered(...words)).toEqual(wanted)
  })

  it.each(['bash', 'zsh', 'fish'])('has a script for %s, which asks the command', (shell) => {
    const script = x('complete', shell)
    expect(script).toContain('x complete --')
    // The shells that are installed read it.
    const { status, error } = spawnSync(shell, ['-n'], { input: script })
    expect(error ?? status).toSatisfy((end) => end === 0 || (end as NodeJS.ErrnoException).code === 'ENOENT')
  })
})
