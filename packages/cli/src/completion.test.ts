import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { METHOD_NAMES } from '@x/reasoning'
import { PROVIDER_NAMES } from './chosen-model.ts'
import { COST_GROUPS } from './log/log-cost.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const x = (...words: string[]): string =>
  execFileSync(process.execPath, ['--conditions=@x/source', MAIN, ...words], { encoding: 'utf8' })

/** Returns the completions that a shell offers for words, of which the last one is not finished. */
const offered = (...words: string[]): string[] =>
  x('complete', '--', ...words)
    .split('\n')
    .filter((line) => line && !line.startsWith(':'))
    .map((line) => line.split('\t')[0]!)

/** Types words into a terminal with zsh and prints what it shows once a completion has come. */
const ZSH_TERMINAL = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='$ '; autoload -Uz compinit; compinit -u -D; source $1; print re''ady"
zpty -r shell shown '*ready*'
zpty -wn shell "x $2"$'\\t'
zpty -r shell shown "*$3*"
print -r -- "$shown"`

describe('completion', () => {
  it.each([
    [[''], ['ask', 'chat', 'reason', 'eval', 'mcp', 'log', 'studio', 'complete', 'help']],
    [
      ['log', 'co'],
      ['cost', 'compare'],
    ],
    [['log', 'cost', '--by', ''], COST_GROUPS],
    [['chat', '--res'], ['--resume']],
    [['chat', '--provider', ''], PROVIDER_NAMES],
    [['reason', '--method', ''], METHOD_NAMES],
  ])('of %j offers %j', (words, wanted) => {
    expect(offered(...words)).toEqual(wanted)
  })

  it('has a script for bash, which completes `x`', () => {
    const script = `${x('complete', 'bash')}\ncomplete -p x`
    expect(execFileSync('bash', ['--norc', '--noprofile', '-c', script], { encoding: 'utf8' })).toContain(
      'complete -o default -F __x_complete x',
    )
  })

  it('lets the shell complete files where it offers nothing else', () => {
    // 4 keeps the shell from files.
    expect(x('complete', '--', 'eval', 'questions')).toBe(':0\n')
    expect(x('complete', '--', 'log', 'co')).toMatch(/\n:4\n$/u)
  })

  describe.each<[string, (script: string, words: string, wanted: string) => string[]]>([
    // A terminal of its own: words are typed, and the key of the tabulator is pressed.
    ['zsh', (script, words, wanted) => ['-f', '-c', ZSH_TERMINAL, 'zsh', script, words, wanted]],
    ['fish', (script, words) => ['--no-config', '-c', 'source $argv[1]; complete -C "x $argv[2]"', script, words]],
  ])('in %s', (shell, argumentsFor) => {
    const isThere = spawnSync(shell, ['--version']).status === 0
    if (!isThere && (process.env['X_CI_EXPECTS'] ?? '').split(',').includes(shell))
      throw new Error(`CI expects ${shell}`)

    it.skipIf(!isThere).each([
      ['chat --res', '--resume'],
      ['reason --method beam', 'beam_search'],
    ])('`x %s` becomes %s', (words, wanted) => {
      const folder = mkdtempSync(join(tmpdir(), 'x-completion-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const script = join(folder, 'script')
      writeFileSync(script, x('complete', shell))
      const command = [process.execPath, '--conditions=@x/source', MAIN].map((word) => `'${word}'`).join(' ')
      writeFileSync(join(folder, 'x'), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 })
      const { stdout, stderr } = spawnSync(shell, argumentsFor(script, words, wanted), {
        env: { ...process.env, HOME: folder, PATH: `${folder}:${process.env['PATH']}`, TERM: 'xterm' },
        encoding: 'utf8',
      })
      expect(stdout, stderr).toContain(wanted)
    })
  })
})

it('says of wrong words what is wrong, in lines that nothing pushes out of sight', () => {
  const { stderr } = spawnSync(process.execPath, ['--conditions=@x/source', MAIN, 'eval', 'logic', '--n', 'x'], {
    encoding: 'utf8',
  })
  expect(stderr).toBe(
    "error: option '--n <n>' argument 'x' is invalid. Give a whole number from 1 on.\n(--help lists commands and options)\n",
  )
})
