/** Compares two prompts at tasks, holds one to a floor, and judges free answers by a model that is measured. */
import { writeFileSync } from 'node:fs'
import { AssistantAgent } from '@x/agent'
import { type Contestant, evaluate, expectEval, judge, renderEvalPage } from '@x/eval'
import { contentText } from '@x/kernel/tool-content'
import { functionModel } from '@x/testing'

// Stands for a real model: it multiplies well if it is told to be careful.
const model = functionModel(({ messages: [system, question] }) => {
  const [a, b] = contentText(question!.content).match(/\d+/gu)!.map(Number) as [number, number]
  return `Answer: ${contentText(system!.content).includes('carefully') || b < 15 ? a * b : a * b + 1}`
})

// #region evaluate
/** An agent as a contestant: it passes the run on, so that budget, record and stop hold inside. */
const clerk = (name: string, systemMessage: string): Contestant => ({
  name,
  settings: { systemMessage },
  answer: (task, { run }) =>
    new AssistantAgent({ name: 'clerk', systemMessage, llmConfig: model }).run(task.input, { run }),
})

const tasks = Array.from({ length: 20 }, (_, n) => ({
  id: `product ${n}`,
  input: `What is ${n + 7} times ${n + 5}? End with a line \`Answer: <number>\`.`,
  expected: (n + 7) * (n + 5),
}))

const report = await evaluate({
  tasks,
  contestants: [clerk('careful', 'Multiply carefully.'), clerk('hasty', 'Multiply.')],
  file: 'products.jsonl', // the same program again asks nothing
  budget: { cost: 2 }, // US dollars
})
for (const { contestant, score } of report.rows) console.log(contestant, score?.value, [score?.low, score?.high])
const [{ difference, p } = {}] = report.comparisons
console.log('careful − hasty', difference?.value, [difference?.low, difference?.high], `p = ${p?.toFixed(4)}`)
writeFileSync('products.html', renderEvalPage(report, { title: 'Products' }))
// #endregion

// #region floor
await expectEval({ tasks, contestants: [clerk('careful', 'Multiply carefully.')] }, { floor: 0.8 })
// #endregion

const strict = functionModel(({ messages }) => {
  const { answer } = JSON.parse(contentText(messages.at(-1)!.content)) as { readonly answer: string }
  return JSON.stringify({ reason: 'It names the day.', verdict: answer.includes('Monday') ? 'right' : 'wrong' })
})

// #region judge
const scorer = judge({
  model: strict,
  rubric: 'The answer is right if it promises delivery on Monday, and nothing else.',
  labelled: [
    { input: 'When does it come?', answer: 'On Monday.', label: true },
    { input: 'When does it come?', answer: 'It will be with you on Monday.', label: true },
    { input: 'When does it come?', answer: 'Soon.', label: false },
    { input: 'When does it come?', answer: 'On Monday or Tuesday.', label: false },
  ],
})
const judged = await evaluate({
  tasks: [{ id: 'delivery', input: 'When does my parcel come?' }],
  contestants: [{ name: 'desk', answer: () => 'Your parcel comes on Monday.' }],
  scorer,
})
const [{ agreement, falsePraise } = {}] = judged.judges
console.log('agrees with people', agreement?.value, 'accepts wrong answers', falsePraise?.value)
// #endregion
