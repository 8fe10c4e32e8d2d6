import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { run } from './run.ts'
import { TRACES_FOLDER } from './trace-files.ts'

const lines = async (args: readonly string[], open: readonly string[] = []): Promise<[boolean, string[]]> => {
  const printed: string[] = []
  const good = await run(args, { print: (line) => printed.push(line), open: new Set(open) })
  return [good, printed]
}

/** A folder outside the repository with one trace, in which a text may be another. */
async function folderWith(name: string, change: (text: string) => string): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'traces-'))
  onTestFinished(() => rm(path, { recursive: true }))
  const file = join(path, `${name}.json`)
  await mkdir(dirname(file), { recursive: true })
  await cp(join(TRACES_FOLDER, `${name}.json`), file)
  await writeFile(file, change(await readFile(file, 'utf8')))
  return path
}

test('a line for each trace and a closing line', async () => {
  expect(await lines(['model', '--only', 'one-config'])).toEqual([
    true,
    ['ok    model/one-config (sync, async, stream)', '1 passed, 0 failed'],
  ])
})

test('a trace that differs fails and shows where, in every face', async () => {
  const folder = await folderWith('model/one-config', (text) => text.replaceAll('"config_id": 0', '"config_id": 1'))
  const [good, [shown, closing]] = await lines([folder])
  expect(good).toBe(false)
  expect(shown?.split('\n')).toEqual([
    'FAIL  model/one-config (sync, async, stream)',
    ...['sync', 'async', 'stream'].flatMap((face) => [
      `  ${face}  results[1].value.config_id`,
      '    recorded  1',
      '    seen      0',
    ]),
  ])
  expect(closing).toBe('0 passed, 1 failed')
})

test('an open trace that differs is open, and says more when asked', async () => {
  const folder = await folderWith('model/one-config', (text) => text.replaceAll('"config_id": 0', '"config_id": 1'))
  const open = ['model/one-config']
  expect(await lines([folder], open)).toEqual([
    true,
    ['open  model/one-config (sync, async, stream)', '0 passed, 0 failed, 1 open'],
  ])
  const [, [shown]] = await lines([folder, '--verbose'], open)
  expect(shown).toContain('results[1].value.config_id')
})

test('an open trace that is as recorded fails until it is taken off the list', async () => {
  const [good, [shown, closing]] = await lines(['model', '--only', 'model/one-config'], ['model/one-config'])
  expect(good).toBe(false)
  expect(shown).toContain('take it off `open.txt`')
  expect(closing).toBe('0 passed, 1 failed')
})

test.each([
  ['no such folder', ['nowhere'], 'there is no folder `nowhere`'],
  ['no such trace', ['model', '--only', 'nothing'], 'there is no trace `nothing`'],
  ['two folders', ['model', 'agent'], 'one folder at a time'],
])('%s is refused', async (_, args, message) => {
  await expect(lines(args)).rejects.toThrow(message)
})
