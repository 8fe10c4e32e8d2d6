import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { leavesBy, targetInside } from './links.ts'

it.each([
  ['a', 'b', 'b'],
  ['a', './b/c', 'b/c'],
  ['x/a', '../b', 'b'],
  ['x/y/a', '../../b/c', 'b/c'],
  ['a', '.', ''],
  ['a', '', null],
  ['a', '/etc/passwd', null],
  ['a', '../b', null],
  ['x/a', '../../b', null],
  // `b` may be a link, and then `..` is not its parent by name.
  ['x/a', 'b/../c', null],
  ['a', String.raw`..\b`, null],
  ['a', 'C:/b', null],
])('leads from %s by %s to %s', (name, target, inside) => {
  expect(targetInside(name, target)).toBe(inside)
})

it('follows links of the user, and says which lead out', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'x-links-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'in/deep'), { recursive: true })
  symlinkSync('/etc', join(root, 'out'))
  symlinkSync('in/deep', join(root, 'here'))
  symlinkSync('nowhere', join(root, 'dangling'))
  const paths = ['in', 'here', 'here/x', 'none/x', 'out', 'out/passwd', 'dangling/x']
  expect(paths.map((path) => leavesBy(root, path))).toEqual([false, false, false, false, true, true, true])
})
