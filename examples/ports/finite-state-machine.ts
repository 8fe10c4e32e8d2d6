/**
 * Teams that may only speak to some others: a graph of who may follow whom, with a model that chooses among these. After
 * `agentchat_groupchat_finite_state_machine.ipynb` of AG2.
 */
import { deepEqual } from 'node:assert/strict'
import { AssistantAgent } from '@x/agent'
import { GroupChat, GroupChatManager, renderTransitions } from '@x/group'
import { contentText } from '@x/kernel/tool-content'
import { functionModel } from '@x/testing'

const TEAMS = ['A', 'B', 'C']
const MEMBERS = [0, 1, 2]
/** Chocolates of each member, which only they know. */
const CHOCOLATES: Readonly<Record<string, number>> = { A0: 2, A1: 1, A2: 3, B0: 1, B1: 2, B2: 1, C0: 4, C1: 1, C2: 2 }

// A simulated model: everybody adds what they have to the list, and the choice goes to the first who has not spoken.
const config = functionModel(({ agent = '', messages }) => {
  const said = messages.flatMap(({ role, content }) => (role === 'system' ? [] : [contentText(content)])).join('\n')
  if (Object.hasOwn(CHOCOLATES, agent)) {
    const isLast = Object.keys(CHOCOLATES).every((name) => name === agent || said.includes(`${name}:`))
    return `${agent}: ${CHOCOLATES[agent]}${isLast ? ' TERMINATE' : ''}`
  }
  const [, offered = ''] = /from \[([^\]]*)\]/u.exec(said.slice(said.lastIndexOf('from ['))) ?? []
  const free = offered.split(', ').map((name) => name.replaceAll("'", ''))
  return free.find((name) => !said.includes(`${name}:`)) ?? free[0] ?? ''
})

const byName = new Map(
  TEAMS.flatMap((team) =>
    MEMBERS.map((index) => {
      const name = `${team}${index}`
      return [name, new AssistantAgent({ name, description: `Has chocolates, in team ${team}.`, llmConfig: config })]
    }),
  ),
)
// Within a team everybody speaks to everybody; the last of a team hands over to the first of the next.
const transitions: Record<string, AssistantAgent[]> = {}
for (const [at, team] of TEAMS.entries()) {
  const members = MEMBERS.map((index) => byName.get(`${team}${index}`)!)
  for (const member of members) transitions[member.name] = members.filter((other) => other !== member)
  const next = byName.get(`${TEAMS[at + 1]}0`)
  if (next) transitions[`${team}2`]!.push(next)
}

const groupchat = new GroupChat({
  agents: [...byName.values()],
  maxRound: 20,
  speakerSelectionMethod: 'auto',
  allowedOrDisallowedSpeakerTransitions: transitions,
  speakerTransitionsType: 'allowed',
})
const manager = new GroupChatManager({
  groupchat,
  llmConfig: config,
  isTerminationMsg: ({ content }) => contentText(content).includes('TERMINATE'),
})
console.log(renderTransitions(groupchat))
await byName.get('A0')!.initiateChat(manager, { message: 'A0: 2', silent: true })
for (const { name, content } of groupchat.messages) console.log(`${name} says ${content as string}`)
deepEqual(
  groupchat.messages.map(({ name }) => name),
  ['A0', 'A1', 'A2', 'B0', 'B1', 'B2', 'C0', 'C1', 'C2'],
)
