import { expect, it } from 'vitest'
import { answered, startExample } from './example-server.fake.ts'
import type { ToolItem } from './item.ts'

it('lets a group work on a question, and shows below the call who said what', async () => {
  await using example = await startExample()
  const { conversation } = example
  await answered(conversation, () => conversation.say('Ask the group where to go.'))
  const { items } = conversation.lines
  const { name, talk, result } = items.findLast((item): item is ToolItem => item.kind === 'tool')!
  expect(name).toBe('ask_group')
  expect(talk!.map((said) => said.name)).toEqual(['researcher', 'critic', 'writer'])
  expect(result).toBe(talk!.at(-1)!.text)
  expect(items.filter(({ kind }) => kind === 'assistant')).toHaveLength(1)
})
