/** The cost of a group, each figure beside its limit: microseconds of processor time for each round and member. */
import { ConversableAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import type { Io } from '@x/interfaces'

const MAX_COST_US = 15
const REPETITIONS = 9
const io: Io = { takes: new Set(), send: () => {}, input: () => '' }

/** Measures the least processor time of a chat, in µs for each round and member. */
async function costOf(members: number, maxRound: number, face: 'sync' | 'async'): Promise<number> {
  const agents = Array.from(
    { length: members },
    (_, index) =>
      new ConversableAgent({
        name: `member${index}`,
        humanInputMode: 'NEVER',
        defaultAutoReply: `from ${index}`,
        maxConsecutiveAutoReply: maxRound,
        io,
      }),
  )
  const groupchat = new GroupChat({ agents, speakerSelectionMethod: 'round_robin', maxRound, io })
  const manager = new GroupChatManager({ groupchat, io })
  let least = Infinity
  for (let round = 0; round < REPETITIONS; round++) {
    const before = process.cpuUsage()
    if (face === 'sync') agents[0]!.initiateChatSync(manager, { message: 'hi' })
    else await agents[0]!.initiateChat(manager, { message: 'hi' })
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / maxRound / members)
  }
  return least
}

for (const face of ['sync', 'async'] as const) {
  const costs: number[] = []
  for (const rounds of [100, 400, 1600]) {
    const cost = await costOf(20, rounds, face)
    costs.push(cost)
    const kept = cost <= MAX_COST_US
    if (!kept) process.exitCode = 1
    const line = [`20 members, ${rounds} rounds, ${face}`.padEnd(36), `${cost.toFixed(2)} µs`, `limit ${MAX_COST_US}`]
    console.log([...line, kept ? 'kept' : 'BROKEN'].join('  '))
  }
  // Four times the rounds cost four times as much.
  const growth = costs[2]! / costs[1]!
  const linear = growth <= 1.5
  if (!linear) process.exitCode = 1
  console.log(
    `${`four times the rounds, ${face}`.padEnd(36)}  ${growth.toFixed(2)} times the cost of a round  ${linear ? 'kept' : 'BROKEN'}`,
  )
}
