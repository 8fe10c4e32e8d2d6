import { createHash } from 'node:crypto'
import type { ContractNode, ContractParts } from './contract-search.ts'

/** Returns a whole number below `end` that depends on the text alone. */
export const numberOf = (text: string, end: number): number =>
  createHash('sha256').update(text).digest().readUInt32LE() % end

/** Depth at which a path ends, for methods without a limit of their own. */
const MAX_DEPTH = 3

const pathOf = (node: ContractNode): string => `${node.parent ? pathOf(node.parent) : ''}/${node.content}`

/** Programs as parts of a search: steps without meaning, with duplicates, and with all grades. */
export const CONTRACT_PARTS: ContractParts = {
  proposer: {
    propose({ node, sample }) {
      const options = [0, 1, 2].map((place) => {
        const step = `step ${numberOf(`${pathOf(node)} ${place} ${sample}`, 9)}`
        return { content: node.depth >= MAX_DEPTH ? `TERMINATE with ${step}` : step }
      })
      return { text: options.map(({ content }) => content).join('\n'), reflection: `after ${node.content}`, options }
    },
  },
  grader: {
    grade: ({ nodes, sample }) => ({
      grades: nodes.map((node) => {
        const value = numberOf(`${pathOf(node)} ${sample}`, 11) / 10
        return { value, details: `Rating: ${value}` }
      }),
    }),
  },
  answerer: {
    answer: ({ from, sample }) => ({ text: `answer ${numberOf(`${from.map(pathOf).join('|')} ${sample}`, 7)}` }),
    merge: ({ answers }) => ({ text: `one answer of ${answers.length}: ${answers.join(', ')}` }),
  },
}
