import { Steering } from '@x/agent'
import type { XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { expect, it } from 'vitest'
import { groupOf, member } from './fakes.fake.ts'
import { initiateGroupChat, initiateGroupChatSync } from './initiate-group-chat.ts'
import { autoPattern } from './pattern/pattern.ts'

/** Members that answer with what they were told by those who steer, and the texts of all requests by agent. */
function team(): { readonly asked: string[]; readonly agents: ReturnType<typeof member>[] } {
  const asked: string[] = []
  const llmConfig = functionModel(({ agent, messages }) => {
    asked.push(`${agent}: ${messages.filter(({ role, name }) => role === 'user' && !name).length}`)
    return agent === 'speaker_selection_agent' ? (asked.length % 2 === 0 ? 'ann' : 'ben') : `${agent} speaks`
  })
  return { asked, agents: ['ann', 'ben'].map((name) => member(name, { llmConfig })) }
}

it('a message to a group goes to the member that speaks next, and to none that chooses speakers', async () => {
  for (const initiate of [initiateGroupChat, initiateGroupChatSync]) {
    const { asked, agents } = team()
    const steering = new Steering()
    const events: XEvent[] = []
    const emit = (event: XEvent): void => {
      events.push(event)
      // The next model that is asked is the one that chooses the speaker.
      if (event.type === 'modelCallEnd' && event.agent === 'ann' && steering.isEmpty) void steering.steer('Shorter')
    }
    const [ann] = agents
    const llmConfig = ann!.llmConfig || undefined
    const pattern = autoPattern({ initialAgent: ann!, agents, groupManagerArgs: { llmConfig } })
    // eslint-disable-next-line no-await-in-loop -- one face after the other
    await initiate(pattern, 'hi', { maxRounds: 4, steering, emit })
    const steered = events.flatMap((event) => (event.type === 'steeringMessage' ? [event.agent] : []))
    expect([steered.length > 0, steered.includes('speaker_selection_agent')]).toEqual([true, false])
    expect(asked.filter((each) => each.startsWith('speaker_selection_agent')).length).toBeGreaterThan(0)
  }
})

it('a message to a chat with a manager goes to a member', async () => {
  const { asked, agents } = team()
  const { manager } = groupOf(agents)
  const steering = new Steering()
  const taken = steering.steer('Shorter')
  await member('user').initiateChat(manager, { message: 'hi', maxTurns: 1, steering })
  expect([asked[0], await taken]).toEqual(['ann: 1', true])
})
