import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { STEPS } from './check-steps.ts'
import { readManifest, readPackages, root } from './workspace.ts'

const FOLDER = '.github/workflows'

describe.each(readdirSync(join(root, FOLDER)))('the workflow %s', (name) => {
  const text = readFileSync(join(root, FOLDER, name), 'utf8')
  const matches = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found]) => found!)

  it('takes actions of others by their commit', () => {
    const used = matches(/ uses: ([^\n]+)/gu).filter((each) => !each.startsWith('./'))
    expect(used.length).toBeGreaterThan(0)
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/u)
  })

  it('may only read, unless a job says more', () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/mu)
    expect(text).not.toContain('write-all')
  })

  it('puts no text of others into a command', () => {
    for (const command of matches(/ run: ([^\n]+)/gu)) expect(command).not.toContain('${{')
  })

  it('runs files and steps that exist', () => {
    for (const file of matches(/(\.ci\/[\w-]+)/gu)) expect(existsSync(join(root, file)), file).toBe(true)
    const scripts = Object.keys(readManifest().scripts!)
    for (const line of matches(/npx -y "\$PNPM" ([^\n]+)/gu)) {
      const [script, step] = line.split(' ')
      expect(['install', 'audit', ...scripts]).toContain(script)
      if (script === 'check') expect(STEPS.map((each) => each.name)).toContain(step)
    }
    for (const path of matches(/ (packages\/[\w./-]+)/gu)) {
      const [, folder] = path.split('/')
      expect(readdirSync(join(root, 'packages')).some((each) => each.startsWith(folder!))).toBe(true)
    }
  })
})

it('the oldest Node that packages promise is tried', () => {
  const [, versions] = /node: \[([^\]]+)\]/u.exec(readFileSync(join(root, FOLDER, 'check.yml'), 'utf8'))!
  const [oldest] = versions!.split(', ').map((version) => version.replaceAll("'", ''))
  for (const { manifest } of readPackages()) expect(manifest.engines?.node).toBe(`>=${oldest}`)
})
