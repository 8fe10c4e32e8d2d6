import { expect, test } from 'vitest'
import { expression } from './expression.ts'

const VARIABLES = { t: true, n: 5, s: "it's", empty: [], list: [1, 2], b: '${n}', nothing: null }

test.each([
  ['${n} > 4 and not ${empty}', true],
  ['!${t} | ${n} == 5 & ${t}', true],
  ['not ${t} or ${n} != 5', false],
  ['1 < ${n} < 9', true],
  ['1 < ${n} < 3', false],
  ['${s} == "it\'s"', true],
  ["${b} == '5'", false],
  ["'${n}' == '5'", false],
  ['${list} == ${list} and len(${list}) == 2', true],
  ['${missing} > 1', false],
  ['${missing} == None', true],
  ['len(${n}) == 0', true],
  ['${n} > -1.5', true],
  ['${s} > 3', false],
  ['(${n} == 1 or ${n} == 5) and ${t} == 1', true],
  ['${list}', true],
  ['${s}', "it's"],
])('`%s` is %j', (text, value) => {
  expect(expression(text)(VARIABLES)).toBe(value)
})

test.each([
  ...['${n} + 1', 'n > 1', 'print(${n})', 'len(${n}, 1)', '${n}.x', '${list}[0]', '[1, 2]', '1 in ${list}'],
  ...['${n} is None', '', '${n} >', '(${n}', '${n} ${n}', "'open", '${n} = 5', '__import__("os")', '-${n}', 'not'],
])('refuses %s', (text) => {
  expect(() => expression(text)).toThrow('cannot read the expression')
})
