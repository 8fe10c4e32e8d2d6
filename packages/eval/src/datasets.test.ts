import { expect, it } from 'vitest'
import { readLabelled, readTasks } from './index.ts'

it('reads a task of each line, whatever begins and ends the lines', () => {
  const answerSchema = { type: 'object' }
  expect(
    readTasks(
      `\uFEFF{"input":"a","answerSchema":null}\r\n\n  {"id":"b","input":"","answerSchema":${JSON.stringify(answerSchema)}}`,
    ),
  ).toEqual([
    { id: 'line 1', input: 'a' },
    { id: 'b', input: '', answerSchema },
  ])
})

it('takes numbers for ids, and null for what a row has not', () => {
  const line = '{"input":"a","id":7,"kind":null}\n{"input":"a","id":null,"kind":"k"}'
  expect(readTasks(line)).toEqual([
    { id: '7', input: 'a' },
    { id: 'line 2', input: 'a', kind: 'k' },
  ])
})

it('rounds no whole number that an answer is compared with, or that tells rows apart', () => {
  const big = '12345678901234567891'
  const line = (more: string): string => `{"input":"a","id":${big},"expected":${big}${more}}`
  const [plain, bySchema] = readTasks(`${line('')}\n${line(',"answerSchema":{"maximum":1e30},"m":{"expected":1}')}`)
  expect(plain).toEqual({ id: big, input: 'a', expected: big })
  expect(bySchema).toMatchObject({ id: big, expected: Number(big) })
  const [labelled] = readLabelled(`{"input":"a","answer":"b","label":true,"expected":${big}}`)
  expect(labelled!.expected).toBe(big)
  const others = [1e21, 1.5, { expected: Number(big) }, 7]
  const text = others.map((expected) => `{"input":"a","expected":${JSON.stringify(expected)}}`).join('\n')
  expect(readTasks(text).map(({ expected }) => expected)).toEqual(others)
})

it.each([
  ['{"input":"a"', 'it is not JSON'],
  ['["a"]', 'it is not an object'],
  ['{"expected":1}', 'it has no `input`'],
  ['{"input":"a","id":true}', 'its `id` is not a text'],
  ['{"input":"a","kind":1}', 'its `kind` is not a text'],
  ['{"input":"a","answerSchema":"object"}', 'its `answerSchema` is not an object'],
  ['{"input":"a","answerSchema":[]}', 'its `answerSchema` is not an object'],
])('says of the line %s what is wrong', (line, problem) => {
  expect(() => readTasks(`{"input":"a"}\n${line}`)).toThrow(`cannot read line 2 of the data set: ${problem}`)
})
