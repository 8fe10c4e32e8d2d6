import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isJson } from './damaged-rows.ts'
import { FORMATS } from './formats.ts'
import { GOLDEN_FOLDER, readGolden, writeGolden, type Files, type GoldenFormat } from './golden-files.ts'

/** Every golden folder, with the format that reads it; those of servers, and damaged rows, are tested in `stores.test.ts`. */
const GOLDEN = readdirSync(GOLDEN_FOLDER)
  .filter((folder) => !/^host-(?:redis|postgres)-/u.test(folder))
  .map((folder): [folder: string, format: GoldenFormat | undefined] => [folder, FORMATS[folder.replace(/-\d+$/u, '')]])

/** Places of a text at which it is cut or changed. */
const PLACES = 30

const REFUSALS: ReadonlySet<unknown> = new Set([
  'invalid-state',
  'unknown-state-version',
  'invalid-message',
  'invalid-argument',
])

/** Values of other programs. */
const FOREIGN = ['null', '{}', '[]', '7', '"text"', '{"version":"x"}', '{"name":"a package","version":"1.0.0"}']

/** The text, damaged in many ways, each with its name. */
function* damages(text: string): Generator<[what: string, damaged: string]> {
  const bytes = Buffer.from(text)
  for (let n = 0; n < PLACES; n++) {
    const at = Math.floor((bytes.length * n) / PLACES)
    yield [`cut at ${at}`, bytes.subarray(0, at).toString()]
    const flipped = Buffer.from(bytes)
    flipped[at] = bytes[at]! ^ (1 << (n % 7))
    yield [`flipped at ${at}`, flipped.toString()]
  }
  for (const foreign of FOREIGN) yield [`foreign: ${foreign}`, foreign]
  if (!isJson(text)) return
  const value = JSON.parse(text) as Record<string, unknown>
  for (const key of Object.keys(value)) {
    // State of earlier releases has no checksum, and is read.
    if (key !== 'checksum') yield [`without \`${key}\``, JSON.stringify({ ...value, [key]: undefined })]
  }
}

/** What came out, without the number of calls. */
const withoutAsked = (value: Readonly<Record<string, unknown>>): unknown => ({ ...value, asked: null })

/** How a damaged file was taken: `same` as the whole one, `refused` by name, or anything else. */
async function howRead(format: GoldenFormat, files: Files, damaged: string, result: unknown): Promise<unknown> {
  try {
    const value = await format.read(files)
    expect(withoutAsked(value)).toEqual(withoutAsked(result as never))
    return 'same'
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    // The program itself reads JSON before it gives the value to a reader.
    if (error instanceof SyntaxError && !isJson(damaged)) return 'refused'
    if (REFUSALS.has(code) && message.length > 20) return 'refused'
    return error
  }
}

describe.each(GOLDEN)('the golden files %s', (folder, format) => {
  const { files, result } = readGolden(folder)

  it('have a reader', () => {
    expect(format).toBeDefined()
  })

  it('are read whole: the program goes on to the same end, and asks nothing again', async () => {
    expect(await format!.read(files)).toEqual(result)
  })

  it.runIf(format?.newer)('are refused where a newer release has written them, with what to do', async () => {
    const error: unknown = await format!.read(format!.newer!(files)).catch((refusal: unknown) => refusal)
    // A cache stops no call: it is left alone, and says why.
    if (folder.startsWith('model-cache')) return expect(error).toMatchObject({ asked: 2 })
    expect(error).toMatchObject({
      code: 'unknown-state-version',
      message: expect.stringMatching(/update `@x\/[a-z-]+`/u) as string,
    })
  })

  it.runIf(format?.isText !== false)('are refused by name where they are damaged, or read as they were', async () => {
    const wrong: unknown[] = []
    let refused = 0
    for (const [name, text] of Object.entries(files)) {
      for (const [what, damaged] of damages(text)) {
        const how = await howRead(format!, { ...files, [name]: damaged }, damaged, result)
        if (how === 'refused') refused++
        else if (how !== 'same') wrong.push([name, what, how])
      }
    }
    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(PLACES)
  })
})

it('every format has golden files of its version', () => {
  const current = Object.entries(FORMATS).map(([name, { version }]) => `${name}-${version}`)
  expect(current.filter((folder) => !GOLDEN.some(([known]) => known === folder))).toEqual([])
})

it('golden files are never written again', async () => {
  for (const [name, format] of Object.entries(FORMATS)) {
    const write = (): never => expect.unreachable('a golden file was written again')
    expect(await writeGolden(name, { ...format, write })).toBe(false)
  }
})
