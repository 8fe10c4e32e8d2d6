import { createCodeExecutor } from '@x/exec'
import { bestFirst, renderText, search, type SearchParts } from '@x/reasoning'

const task = 'Write `middle(list)`: the median of a list of numbers.'
const tests = [
  ['[3, 1, 2]', 2],
  ['[4, 1]', 2.5],
  ['[10, 9, 1]', 9],
] as const

// Simulates a model that writes a program and repairs it; `modelProposer({ model })` asks a real one.
const programs = [
  'function middle(list) { return list[1] }',
  'function middle(list) { return list.sort()[list.length >> 1] }',
  'function middle(list) { const s = list.sort((a, b) => a - b), n = s.length >> 1; return s.length % 2 ? s[n] : s[n] }',
  'function middle(list) { const s = list.sort((a, b) => a - b), n = s.length >> 1; return s.length % 2 ? s[n] : (s[n - 1] + s[n]) / 2 }',
]

// It runs JavaScript in a sandbox of WebAssembly: no process is started.
await using executor = createCodeExecutor('wasm', { timeout: 5 })
const used = { calls: 0, promptTokens: 0, completionTokens: 0, cost: 0 }

// Marks the lines of the tests: a program that prints `ok` itself has passed nothing.
const mark = `${crypto.randomUUID()} `

/** Runs the tests of a program: the share that passes, and what failed. */
async function runTests(program: string): Promise<{ score: number; reason: string }> {
  const lines = tests.map(([list, right]) => `check(${JSON.stringify(list)}, middle(${list}), ${right})`)
  const check = `const check = (list, is, right) => console.log('${mark}' + (is === right ? 'ok' : list + ' gives ' + is + ', not ' + right))`
  const { output } = await executor.executeCodeBlocks([
    { language: 'javascript', code: [program, check, ...lines].join('\n') },
  ])
  const said = output.trim().split('\n')
  const failed = said.filter((line) => line !== `${mark}ok`)
  return {
    score: (said.length - failed.length) / tests.length,
    reason: failed.join('; ').replaceAll(mark, '') || 'all tests pass',
  }
}

const parts: SearchParts = {
  proposer: {
    propose: ({ node }) => ({
      text: '',
      reflection: '',
      options: programs.slice(node.depth, node.depth + 2).map((content) => ({ content })),
    }),
  },
  grader: {
    async grade({ nodes }) {
      const reports = await Promise.all(nodes.map(({ content }) => runTests(content)))
      return { used, grades: reports.map(({ score, reason }) => ({ value: score, details: reason })) }
    },
  },
  answerer: { answer: ({ from }) => ({ used, text: from[0]!.content }) },
  verifier: async (program) => {
    const { score, reason } = await runTests(program)
    return { accepted: score === 1, score, reason }
  },
}

const result = await search(task, { ...parts, method: bestFirst({ maxDepth: 3 }), budget: { calls: 20 } })
console.log(renderText(result, { width: 90 }))
console.log(result.status, result.answer)
