import { expect, it } from 'vitest'
import { mentionsIn } from './mentions.ts'

it.each<[string, string[], Record<string, number>]>([
  ['bob', ['bob', 'eve'], { bob: 1 }],
  ['"bob", **bob** and bob\'s', ['bob'], { bob: 3 }],
  ['bobby bob2 bobé bob_', ['bob'], {}],
  ['bob-next', ['bob'], { bob: 1 }],
  ['Bob', ['bob'], {}],
  ['bob or eve', ['bob', 'eve'], { bob: 1, eve: 1 }],
  ['story writer', ['story_writer', 'writer'], { story_writer: 1 }],
  ['story\\_writer', ['story_writer', 'writer'], { story_writer: 1 }],
  ['the writer, not the story_writer', ['story_writer', 'writer'], { writer: 1, story_writer: 1 }],
  ['editor-in-chief', ['editor', 'editor-in-chief'], { 'editor-in-chief': 1 }],
  ['axb', ['a.b'], {}],
  ['a.b', ['a', 'a.b'], { a: 1, 'a.b': 1 }],
  ['c++ (c)', ['c++', 'c'], { 'c++': 1, c: 2 }],
  ['', ['bob'], {}],
  ['bob', [], {}],
])('%j names of %j: %j', (text, names, mentions) => {
  expect(mentionsIn(text, names)).toEqual(mentions)
})

it('does not take a part of the name of somebody who may not speak', () => {
  expect(mentionsIn('story writer', ['writer'], ['story_writer'])).toEqual({})
})
