import { deepStrictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedModel } from '@x/testing'
import { discuss } from './group.ts'

test('the writer and the critic speak in turn, until the critic is content', async () => {
  const model = scriptedModel(['Sun shines.', 'On what?', 'Sun shines on the sea.', 'TERMINATE'])
  deepStrictEqual(await discuss('A line about the sun.', model), [
    'user: A line about the sun.',
    'writer: Sun shines.',
    'critic: On what?',
    'writer: Sun shines on the sea.',
    'critic: TERMINATE',
  ])
  model.assertComplete()
})
