import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  FIRST_PROGRAMS_DOCUMENT,
  FIRST_PROGRAMS_FOLDER,
  linesOf,
  OURS,
  PROGRAMS,
  programsIn,
  readPeers,
  withFirstPrograms,
} from './first-programs-table.ts'
import { root } from './workspace.ts'

const document = readFileSync(join(root, FIRST_PROGRAMS_DOCUMENT), 'utf8')
const peers = readPeers()
const programs = Object.keys(PROGRAMS)

describe('the first programs', () => {
  it.each([OURS, ...Object.keys(peers.peers)])('of %s are the same five', (folder) => {
    expect(programsIn(folder)).toEqual(programs)
  })

  it('are at most as long as those of each peer', () => {
    const shorter = Object.keys(peers.peers).flatMap((folder) =>
      programs
        .filter((program) => linesOf(folder, program) < linesOf(OURS, program))
        .map((program) => `${folder}/${program}`),
    )
    expect(shorter).toEqual([])
  })

  it('have their lines and versions in the document (`pnpm first-programs` writes them)', () => {
    expect(withFirstPrograms(document)).toBe(document)
  })

  it('are counted without blank lines', () => {
    expect(linesOf(OURS, '1-hello.ts')).toBe(4)
    const row = document.split('\n').find((line) => line.startsWith('| one answer'))
    expect(row?.split('|')[2]?.trim()).toBe('4')
  })

  it('get new tables where a document has old ones', () => {
    const old = document.replaceAll('| 4 ', '| 5 ').replaceAll(peers.date, '2020-01-01')
    expect(old).not.toBe(document)
    expect(withFirstPrograms(old)).toBe(document)
  })
})

/** Posts a question to the program that it is given, and prints what comes back. */
const POST_QUESTION = `
  const { POST } = await import(process.argv[1])
  const body = JSON.stringify({ message: 'Say hello.' })
  const response = await POST(new Request('http://localhost/chat', { method: 'POST', body }))
  console.log(response.status, response.headers.get('content-type'), await response.text())
`

describe('our first programs', () => {
  it.each([
    ['1-hello.ts', 'Simulated: Hello.\n'],
    ['2-stream.ts', 'Simulated: Hello.'],
    ['3-tool.ts', 'Simulated: Sunny in Oslo.\n'],
    ['4-structured.ts', "[ 'Layer it.', 'Bake it.' ]\n"],
  ])('run: %s', async (program, printed) => {
    expect(await run(fileOf(program))).toBe(printed)
  })

  it('run: 5-endpoint.ts', async () => {
    const printed = await run('--eval', POST_QUESTION, pathToFileURL(fileOf('5-endpoint.ts')).href)
    expect(printed).toBe('200 text/plain; charset=utf-8 Simulated: Hello.\n')
  })
})

/** Runs Node with a simulated model, as without a key, and returns what it prints. */
async function run(...args: string[]): Promise<string> {
  const simulated = pathToFileURL(join(root, 'examples/simulated-openai.ts')).href
  const { OPENAI_API_KEY: _, OPENAI_BASE_URL: __, FORCE_COLOR: ___, ...env } = process.env
  const options = ['--conditions=@x/source', '--import', simulated]
  // The cache of answers is in the working directory: each run asks the model anew.
  const cwd = mkdtempSync(join(tmpdir(), 'first-programs-'))
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...options, ...args], { cwd, env })
    expect(stderr).toBe('')
    return stdout
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

function fileOf(program: string): string {
  return join(root, FIRST_PROGRAMS_FOLDER, OURS, program)
}
