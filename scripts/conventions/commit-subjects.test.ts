import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { root } from '../workspace.ts'
import { longSubjects } from './commit-subjects.ts'

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

it('gives every commit a subject of at most 72 characters', () => {
  // The law holds for commits after the one that brought this file. A shallow clone begins with a commit that brings all files.
  const [first] = git('log', '--diff-filter=A', '--format=%H', '--', 'scripts/conventions/commit-subjects.test.ts')
  const subjects = first ? git('log', '--no-merges', '--format=%s', `${first}..HEAD`) : []
  expect(longSubjects(subjects)).toEqual([])
})
