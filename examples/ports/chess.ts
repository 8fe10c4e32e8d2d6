/**
 * Two players, each with a board behind it: a nested chat lets a player look up the legal moves and make one, before it says
 * anything to the other. After `agentchat_nested_chats_chess.ipynb` of AG2.
 */
import { equal } from 'node:assert/strict'
import { ConversableAgent, tool } from '@x/agent'
import { contentText } from '@x/kernel/tool-content'
import { functionModel } from '@x/testing'
import { Chess } from 'chess.js'
import { z } from 'zod'

// A simulated model of both players: it asks for the legal moves, tries one that is not, and makes the next of the opening.
const opening = ['e4', 'e5', 'Nf3', 'Nc6']
const config = functionModel(({ messages }) => {
  const last = messages.at(-1)!
  const call = (name: string, args: object) => ({
    tool_calls: [{ id: `${name}-${messages.length}`, function: { name, arguments: JSON.stringify(args) } }],
  })
  const next = opening[board.history().length]!
  if (last.role === 'tool' && contentText(last.content).startsWith('Moved'))
    return `${contentText(last.content)} Your move.`
  if (last.role === 'tool' && contentText(last.content).startsWith('Possible'))
    return call('make_move', { move: 'Ke5' })
  return last.role === 'tool' ? call('make_move', { move: next }) : call('get_legal_moves', {})
})

const board = new Chess()
const moved = { isMade: false }

const getLegalMoves = tool({
  name: 'get_legal_moves',
  description: 'Get legal moves.',
  execute: () => `Possible moves are: ${board.moves().join(', ')}`,
})
const makeMove = tool({
  name: 'make_move',
  description: 'Make a move.',
  parameters: z.object({ move: z.string() }),
  execute({ move }) {
    // A move that is not legal throws, and the model reads why.
    const { piece, from, to } = board.move(move)
    moved.isMade = true
    return `Moved ${piece} from ${from} to ${to}.`
  },
})

const player = (name: string, color: string): ConversableAgent =>
  new ConversableAgent({
    name,
    systemMessage: `You play chess as ${color}. First get the legal moves, then make a move.`,
    llmConfig: config,
    humanInputMode: 'NEVER',
  })
const white = player('player_white', 'white')
const black = player('player_black', 'black')
const boardProxy = new ConversableAgent({
  name: 'board_proxy',
  humanInputMode: 'NEVER',
  defaultAutoReply: 'Please make a move.',
  isTerminationMsg() {
    const { isMade } = moved
    moved.isMade = false
    return isMade
  },
})

for (const each of [getLegalMoves, makeMove]) {
  for (const caller of [white, black]) caller.registerForLlm(each)
  boardProxy.registerForExecution(each)
}
white.registerNestedChats([{ sender: boardProxy, recipient: white, summaryMethod: 'last_msg' }], black)
black.registerNestedChats([{ sender: boardProxy, recipient: black, summaryMethod: 'last_msg' }], white)

const { chatHistory } = await black.initiateChat(white, { message: 'Your move.', maxTurns: 2, silent: true })
for (const { name, content } of chatHistory) console.log(`${name}: ${content as string}`)
equal(board.history().join(' '), 'e4 e5 Nf3')
