import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeConfined } from './confined-file.ts'
import { listArtifacts, isOverfull } from './list-artifacts.ts'

let outside: string
let root: string
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'x-outside-'))
  root = mkdtempSync(join(tmpdir(), 'x-root-'))
})
afterEach(() => {
  for (const path of [outside, root]) rmSync(path, { recursive: true })
})

it('writes files with their directories, and replaces existing files', () => {
  writeConfined(root, 'a/b/c.py', 'x')
  writeConfined(root, 'a/b/c.py', 'yü')
  expect(readFileSync(join(root, 'a/b/c.py'), 'utf8')).toBe('yü')
})

it('replaces a link in place of the file, and leaves its target alone', () => {
  writeFileSync(join(outside, 'f'), 'before')
  symlinkSync(join(outside, 'f'), join(root, 'a.py'))
  writeConfined(root, 'a.py', 'code')
  expect(readFileSync(join(outside, 'f'), 'utf8')).toBe('before')
  expect(lstatSync(join(root, 'a.py')).isFile()).toBe(true)
})

it('follows no linked directory', () => {
  symlinkSync(outside, join(root, 'sub'))
  expect(() => writeConfined(root, 'sub/f', 'x')).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  expect(existsSync(join(outside, 'f'))).toBe(false)
})

it('refuses the name of a directory, and replaces a pipe without waiting', () => {
  mkdirSync(join(root, 'd'))
  expect(() => writeConfined(root, 'd', 'x')).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(root, 'p')])
  writeConfined(root, 'p', 'x')
  expect(readFileSync(join(root, 'p'), 'utf8')).toBe('x')
})

it('lists all entries and follows no link', () => {
  symlinkSync(outside, join(root, 'link'))
  writeFileSync(join(outside, 'secret'), 'x')
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(root, 'pipe')])
  writeConfined(root, 'sub/f', 'abc')
  expect(listArtifacts(root).map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'link link',
    'pipe other',
    'sub directory',
    'sub/f file',
  ])
})

describe('a measurement of a directory whose time is over', () => {
  const limits = { workspaceBytes: 1e9, workspaceEntries: 10_000 }
  const fill = (count: number): void => {
    for (let index = 0; index < count; index++) writeFileSync(join(root, `f${index}`), '')
  }

  it('counts all of a small directory, on a busy machine too', () => {
    fill(400)
    expect(listArtifacts(root, 1000, -1)).toHaveLength(400)
    expect(isOverfull(root, limits, -1)).toBe(false)
  })

  it('leaves out the rest of a large directory, and takes it for overfull', () => {
    fill(600)
    expect(listArtifacts(root, 1000, -1)).toHaveLength(500)
    expect(isOverfull(root, limits, -1)).toBe(true)
    expect(isOverfull(root, limits, Infinity)).toBe(false)
  })
})

it('says that a file cannot be saved since the code has removed the directory', () => {
  expect(() => writeConfined(join(root, 'gone'), 'a.py', 'x')).toThrow(
    /it is gone, and comes back with another executor/u,
  )
})
